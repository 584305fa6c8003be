package dev.plumbline.module.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.module.web.ContentSecurityPolicy.Gap;
import dev.plumbline.module.web.ContentSecurityPolicy.Weakness;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContentSecurityPolicyTest {
    private static final String STRICT = "; object-src 'none'; base-uri 'none'; form-action 'self'; style-src 'self'";

    /** What a policy lets through, everything but scripts being closed; - for nothing. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            quoteCharacter = '`',
            value = {
                // what holds
                "script-src 'self', -",
                "script-src 'none', -",
                "script-src, -",
                "default-src 'none', -",
                "script-src https://static.a.test, -",
                "script-src 'self' *.a.test, -",
                "script-src 'self' https://*.a.test:8443/js/, -",
                "SCRIPT-SRC 'SELF', -",
                "script-src 'nonce-0123456789abcdefghijkl', -",
                "script-src 'sha256-0123456789abcdef0123456789abcdef0123456789a=', -",
                "script-src 'nonce-0123456789abcdefghijkl' 'strict-dynamic' 'unsafe-inline' https: *, -",
                "script-src 'unsafe-inline' 'nonce-0123456789abcdefghijkl', -",
                "script-src 'unsafe-inline' 'sha384-0123456789abcdef0123456789abcdef0123456789a=', -",
                "script-src 'self' 'wasm-unsafe-eval', -",
                "script-src 'self' blob:, -",
                "script-src 'self' wss:, -",
                // bypasses
                "img-src 'self', SCRIPTS_UNLIMITED",
                "script-src 'unsafe-inline', INLINE_SCRIPTS",
                "script-src 'UNSAFE-INLINE', INLINE_SCRIPTS",
                "default-src 'self' 'unsafe-inline', INLINE_SCRIPTS",
                "script-src 'self'; script-src-elem 'unsafe-inline', INLINE_SCRIPTS",
                "script-src 'self'; script-src-attr 'unsafe-inline', INLINE_SCRIPTS",
                "script-src 'unsafe-inline'; script-src-elem 'self', -",
                "script-src *, ANY_SOURCE",
                "script-src https:, ANY_SOURCE",
                "script-src HTTPS:, ANY_SOURCE",
                "script-src http:, ANY_SOURCE",
                "script-src data:, ANY_SOURCE",
                "script-src 'self' https://*, ANY_SOURCE",
                "script-src 'self' *:443, ANY_SOURCE",
                "script-src 'self' *:*, ANY_SOURCE",
                "default-src *, ANY_SOURCE",
                "script-src *.github.io, SHARED_HOST",
                "script-src https://*.co.uk, SHARED_HOST",
                "script-src *.com, SHARED_HOST",
                "script-src https://cdn.jsdelivr.net, BYPASS_HOST",
                "script-src cdnjs.cloudflare.com/ajax/libs/, BYPASS_HOST",
                "script-src CDNJS.cloudflare.com, BYPASS_HOST",
                "script-src *.gstatic.com, BYPASS_HOST",
                "script-src https://cdn.jsdelivr.net/npm/a@1.0.0/a.js, -",
                "script-src http://a.test, PLAIN_HTTP_SOURCE",
                "script-src 'self' 'unsafe-eval', EVAL",
                "script-src-elem 'self'; script-src 'unsafe-eval', EVAL",
                "script-src 'nonce-abc', SHORT_NONCE",
                // the first of two alike counts
                "script-src 'self'; script-src *, -",
                "script-src *; script-src 'self', ANY_SOURCE",
                // what is misspelled protects nobody
                "scripts-src 'none', SCRIPTS_UNLIMITED",
                "script-src: 'self', SCRIPTS_UNLIMITED",
                // a sandbox without scripts needs no more
                "sandbox, -",
                "sandbox allow-forms; script-src *, -",
                "sandbox allow-scripts; script-src *, ANY_SOURCE"
            })
    void seesWhatAScriptCanGetPast(String scripts, String gap) {
        assertThat(gaps(scripts + STRICT)).isEqualTo(gap.equals("-") ? Set.of() : Set.of(Gap.valueOf(gap)));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "default-src 'self', FORMS_UNLIMITED",
                "default-src 'self'; form-action 'self', -",
                "script-src 'self'; form-action 'self'; style-src 'self', OBJECTS_UNLIMITED",
                "default-src 'self'; object-src *; form-action 'self', OBJECTS_UNLIMITED",
                "default-src 'self'; object-src data:; form-action 'self', OBJECTS_UNLIMITED",
                "default-src 'none'; script-src 'nonce-0123456789abcdefghijkl'; form-action 'self', BASE_UNLIMITED",
                "default-src 'self'; base-uri *; form-action 'self', BASE_UNLIMITED",
                "default-src 'self'; style-src 'unsafe-inline'; form-action 'self', INLINE_STYLES",
                "default-src 'self'; style-src 'unsafe-inline' 'nonce-abc'; form-action 'self', -"
            })
    void seesWhatElseIsOpen(String policy, String gap) {
        assertThat(gaps(policy)).isEqualTo(gap.equals("-") ? Set.of() : Set.of(Gap.valueOf(gap)));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "script-src self, needs quotes",
                "script-src unsafe-inline, needs quotes",
                "script-src nonce-abc, needs quotes",
                "script-src 'self' style-src 'self', semicolon",
                "script-src 'slef', nothing is meant",
                "script-src 'nonce-', nothing is meant",
                "script-src 'self' 'none', 'none' is passed over",
                "scripts-src 'self', no directive scripts-src",
                "script-src 'self'; script-src *, twice",
                "script-src 'strict-dynamic', no script can run",
                "script-src 192.0.2.1, names are wanted",
                "script-src https://[2001:db8::1]/, names are wanted"
            })
    void saysWhatBrowsersPassOver(String policy, String words) {
        assertThat(ContentSecurityPolicy.parse(policy).faults())
                .singleElement()
                .asString()
                .contains(words);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "frame-ancestors 'none', true",
                "frame-ancestors 'self' https://a.test, true",
                "frame-ancestors, true",
                "frame-ancestors *, false",
                "frame-ancestors https:, false",
                "default-src 'none', false"
            })
    void seesWhetherFramingIsLimited(String policy, boolean limited) {
        assertThat(ContentSecurityPolicy.parse(policy).limitsFraming()).isEqualTo(limited);
    }

    @Test
    void severalPoliciesAllCount() {
        List<ContentSecurityPolicy> policies = ContentSecurityPolicy.parseAll(
                List.of("frame-ancestors 'none', script-src 'unsafe-inline' 'self'", "script-src *"));

        assertThat(policies).hasSize(3);
        assertThat(SecurityHeadersEvaluation.weaknesses(policies).stream().map(Weakness::gap))
                .doesNotContain(Gap.INLINE_SCRIPTS, Gap.ANY_SOURCE, Gap.SCRIPTS_UNLIMITED)
                .contains(Gap.OBJECTS_UNLIMITED);
    }

    @Test
    void keepsDirectivesInTheirOrder() {
        assertThat(ContentSecurityPolicy.parse(" img-src  a.test\tb.test ;; Default-Src 'none';")
                        .directives())
                .containsExactly(
                        Map.entry("img-src", List.of("a.test", "b.test")), Map.entry("default-src", List.of("'none'")));
    }

    @Property(tries = 2_000)
    void takesAnything(@ForAll @StringLength(max = 300) @CharRange(from = ' ', to = '~') String text) {
        for (ContentSecurityPolicy policy : ContentSecurityPolicy.parseAll(List.of(text))) {
            assertThat(policy.weaknesses()).isNotNull();
            assertThat(policy.directives().keySet()).allMatch(name -> name.equals(name.toLowerCase(Locale.ROOT)));
        }
    }

    private static Set<Gap> gaps(String policy) {
        return ContentSecurityPolicy.parse(policy).weaknesses().stream()
                .map(Weakness::gap)
                .collect(Collectors.toSet());
    }

    @Test
    void ofPoliciesWithoutEndSomeAreRead() {
        assertThat(ContentSecurityPolicy.parseAll(List.of("a,".repeat(32_000))))
                .hasSize(ContentSecurityPolicy.MOST_POLICIES);
    }
}
