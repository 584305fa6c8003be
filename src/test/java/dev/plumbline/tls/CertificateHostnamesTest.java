package dev.plumbline.tls;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.net.InetAddresses;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import java.security.cert.X509Certificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CertificateHostnamesTest {
    @ParameterizedTest
    @CsvSource({
        "example.com, example.com, true",
        "EXAMPLE.com, example.com, true",
        "example.com, www.example.com, false",
        "www.example.com, example.com, false",
        "*.example.com, www.example.com, true",
        "*.EXAMPLE.com, www.example.com, true",
        "*.example.com, example.com, false",
        "*.example.com, a.b.example.com, false",
        "*.example.com, .example.com, false",
        "*.com, example.com, false",
        "*.co.uk, example.co.uk, false",
        "*.CO.UK, example.co.uk, false",
        "*.example.co.uk, www.example.co.uk, true",
        "*.github.io, example.github.io, true",
        "*.lab.test, example.lab.test, true",
        "*, localhost, false",
        "*, example.com, false",
        "w*.example.com, www.example.com, false",
        "*w.example.com, www.example.com, false",
        "www.*.com, www.example.com, false",
        "*.*.com, www.example.com, false",
        "a.*.example.com, a.b.example.com, false",
        "xn--bcher-kva.example, xn--bcher-kva.example, true",
        "*.example.com, xn--bcher-kva.example.com, true",
        "example.com., example.com, false",
        "192.0.2.1, 192.0.2.1.example.com, false",
    })
    void comparesNames(String pattern, String name, boolean matches) {
        assertThat(CertificateHostnames.matches(pattern, name)).isEqualTo(matches);
    }

    @Test
    void comparesAddressesByValueAndNeverAsNames() {
        X509Certificate named = TestCa.selfSigned(CertificateSpec.server("192.0.2.1", "www.example.com"))
                .certificate();
        X509Certificate addressed = TestCa.selfSigned(CertificateSpec.server("www.example.com")
                        .address("192.0.2.1")
                        .address("2001:db8::1"))
                .certificate();
        assertThat(CertificateHostnames.matches(named, "192.0.2.1", InetAddresses.forString("192.0.2.1")))
                .isFalse();
        assertThat(CertificateHostnames.matches(addressed, "192.0.2.1", InetAddresses.forString("192.0.2.1")))
                .isTrue();
        assertThat(CertificateHostnames.matches(addressed, "192.0.2.2", InetAddresses.forString("192.0.2.2")))
                .isFalse();
        assertThat(CertificateHostnames.matches(addressed, "2001:db8::1", InetAddresses.forString("2001:db8:0::1")))
                .isTrue();
        assertThat(AlternativeNames.of(addressed).listed())
                .containsExactly("www.example.com", "192.0.2.1", "2001:db8::1");
    }

    @Test
    void ignoresTheCommonName() {
        X509Certificate certificate = TestCa.selfSigned(CertificateSpec.commonNameOnly("www.example.com"))
                .certificate();
        assertThat(CertificateHostnames.matches(certificate, "www.example.com", null))
                .isFalse();
    }
}
