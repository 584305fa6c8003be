package dev.plumbline.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.ModuleDescription;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The subtests of internet.nl (state of July 2026) in the documentation and in the policies. */
class InternetNlSubtestsTest {
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z0-9-]+)` \\| `([a-z0-9_]+)` \\| (.+) \\|$");
    private static final Pattern CODE = Pattern.compile("`([a-z0-9_-]+)`");

    private static ModuleDescription module(String name) {
        ModuleDefinition<?> found = MODULES.find(name);
        return found == null ? null : found.description();
    }

    /** The third column of the table by category and subtest, for example {@code web-tls, fs_params}. */
    private static Map<String, String> documented() throws IOException {
        Map<String, String> rows = new LinkedHashMap<>();
        Matcher row = ROW.matcher(Files.readString(Path.of("src/docs/overview.md")));
        while (row.find()) {
            rows.put(row.group(1) + ", " + row.group(2), row.group(3));
        }
        return rows;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "web-ipv6 | ns_aaaa ns_reach web_aaaa web_reach web_ipv46",
                "web-dnssec | dnssec_exists dnssec_valid",
                "web-rpki | web_rpki_exists web_rpki_valid ns_rpki_exists ns_rpki_valid",
                "web-tls | https_exists https_forced https_hsts http_compression fs_params tls_ciphers "
                        + "tls_cipher_order tls_version tls_compression renegotiation_secure "
                        + "renegotiation_client zero_rtt kex_hash_func extended_master_secret cert_trust "
                        + "cert_pubkey cert_signature cert_hostmatch ocsp_stapling web_caa dane_exists "
                        + "dane_valid",
                "web-appsecpriv | http_x_frame http_referrer_policy http_csp http_x_content_type http_securitytxt",
                "mail-ipv6 | ns_aaaa ns_reach mx_aaaa mx_reach",
                "mail-dnssec | dnssec_exists dnssec_valid dnssec_mx_exists dnssec_mx_valid",
                "mail-auth | dmarc dmarc_policy dkim spf spf_policy",
                "mail-tls | starttls_exists fs_params tls_ciphers tls_cipher_order tls_version "
                        + "tls_compression renegotiation_secure renegotiation_client zero_rtt kex_hash_func "
                        + "extended_master_secret cert_trust cert_pubkey cert_signature cert_hostmatch mail_caa "
                        + "dane_exists dane_valid dane_rollover",
                "mail-rpki | mail_rpki_exists mail_rpki_valid ns_rpki_exists ns_rpki_valid "
                        + "mail_mx_ns_rpki_exists mail_mx_ns_rpki_valid"
            })
    void eachSubtestIsDocumented(String category, String subtests) throws IOException {
        List<String> expected = new ArrayList<>();
        for (String subtest : subtests.split(" ")) {
            expected.add(category + ", " + subtest);
        }

        assertThat(documented().keySet().stream().filter(row -> row.startsWith(category + ",")))
                .containsExactlyElementsOf(expected);
    }

    @Test
    void documentedFieldsExist() throws IOException {
        documented().forEach((subtest, text) -> {
            if (text.startsWith("missing, because ")) {
                return;
            }
            List<String> names = CODE.matcher(text.replaceAll("[(;].*", ""))
                    .results()
                    .map(match -> match.group(1))
                    .toList();
            ModuleDescription module = Objects.requireNonNull(module(names.get(0)), subtest);
            assertThat(names.size()).as(subtest).isGreaterThan(1);
            assertThat(module.fields().stream().map(FieldDescription::name))
                    .as(subtest)
                    .containsAll(names.subList(1, names.size()));
        });
    }

    @Test
    void eachSubtestWithAFieldOfThePartsHasARule() throws IOException, InvalidPolicyException {
        List<String> clauses = new ArrayList<>();
        for (String name : List.of("internet-nl-website", "internet-nl-mail")) {
            Policy policy = new PolicyReader(InternetNlSubtestsTest::module, new ExpressionPrograms())
                    .read(name, BuiltInPolicies.yaml(name));
            policy.modules().values().forEach(module -> module.rules().forEach(rule -> {
                clauses.add(rule.clause());
                ModuleDescription of = rule.expect().module();
                assertThat(of.partOf()).as(rule.id()).containsKey("overview");
                assertThat(of.partFields())
                        .as(rule.id())
                        .containsAll(rule.expect().fields());
            }));
        }
        List<String> expected = new ArrayList<>();
        documented().forEach((subtest, text) -> {
            // the same field as dnssec_mx_exists: null if the validation failed
            if (!text.startsWith("missing")
                    && !text.contains("a check of its own")
                    && !subtest.equals("mail-dnssec, dnssec_mx_valid")) {
                expected.add(subtest);
            }
        });

        assertThat(clauses).containsExactlyInAnyOrderElementsOf(expected);
    }
}
