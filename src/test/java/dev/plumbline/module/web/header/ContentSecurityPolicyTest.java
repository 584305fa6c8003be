package dev.plumbline.module.web.header;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.module.web.header.ContentSecurityPolicy.Code;
import dev.plumbline.module.web.header.ContentSecurityPolicy.Weakness;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ContentSecurityPolicyTest {
    private static final String STRICT = "; object-src 'none'; base-uri 'none'; form-action 'self'; style-src 'self'";

    /** The weakness of a policy whose other directives are strict; - for none. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            quoteCharacter = '`',
            value = {
                // strict policies
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
                // weak policies
                "img-src 'self', SCRIPTS_UNLIMITED",
                "script-src 'unsafe-inline', INLINE_SCRIPTS",
                "script-src 'UNSAFE-INLINE', INLINE_SCRIPTS",
                "default-src 'self' 'unsafe-inline', INLINE_SCRIPTS",
                "script-src 'self'; script-src-elem 'unsafe-inline', INLINE_SCRIPTS",
                "script-src 'self'; script-src-attr 'unsafe-inline', INLINE_SCRIPTS",
                // event handlers fall back to script-src and default-src, not to script-src-elem
                "script-src 'unsafe-inline'; script-src-elem 'self', INLINE_SCRIPTS",
                "default-src 'unsafe-inline'; script-src-elem 'self', INLINE_SCRIPTS",
                "script-src 'unsafe-inline'; script-src-elem 'self'; script-src-attr 'none', -",
                "script-src 'self'; script-src-elem 'nonce-0123456789abcdefghijkl', -",
                "script-src 'unsafe-inline' 'strict-dynamic'; script-src-elem 'self', -",
                "script-src-elem 'self', INLINE_SCRIPTS EVAL",
                "script-src-elem 'self'; script-src-attr 'none', EVAL",
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
                "script-src accounts.google.com, BYPASS_HOST",
                "script-src https://api.vk.com:443, BYPASS_HOST",
                "script-src cdn.walkme.com, BYPASS_HOST",
                "script-src 'self' www.googletagmanager.com, -",
                "script-src https://cdn.jsdelivr.net/npm/a@1.0.0/a.js, -",
                "script-src http://a.test, PLAIN_HTTP_SOURCE",
                "script-src 'self' 'unsafe-eval', EVAL",
                "script-src-elem 'self'; script-src 'unsafe-eval', EVAL",
                "script-src-elem 'self' 'unsafe-eval'; script-src 'self', -",
                "script-src-elem 'self'; default-src 'unsafe-eval'; script-src-attr 'none', EVAL",
                "script-src 'nonce-abc', SHORT_NONCE",
                // browsers use the first of repeated directives
                "script-src 'self'; script-src *, -",
                "script-src *; script-src 'self', ANY_SOURCE",
                // browsers ignore unknown directives
                "scripts-src 'none', SCRIPTS_UNLIMITED",
                "script-src: 'self', SCRIPTS_UNLIMITED",
                // a sandbox blocks scripts unless it contains allow-scripts
                "sandbox, -",
                "sandbox allow-forms; script-src *, -",
                "sandbox allow-scripts; script-src *, ANY_SOURCE"
            })
    void findsWeaknessesOfScriptSources(String scripts, String code) {
        assertThat(codes(scripts + STRICT))
                .isEqualTo(
                        code.equals("-")
                                ? Set.of()
                                : Stream.of(code.split(" "))
                                        .map(each -> Code.valueOf("CSP_" + each))
                                        .collect(Collectors.toSet()));
    }

    @Test
    void findsHostsWhoseBypassRequiresEvalOnlyIfEvalIsAllowed() {
        assertThat(codes("script-src 'unsafe-eval' https://www.googletagmanager.com" + STRICT))
                .isEqualTo(Set.of(Code.CSP_BYPASS_HOST, Code.CSP_EVAL));
        assertThat(codes("script-src-elem https://www.googletagmanager.com; script-src 'unsafe-eval'" + STRICT))
                .isEqualTo(Set.of(Code.CSP_BYPASS_HOST, Code.CSP_EVAL));
        assertThat(codes("script-src-elem https://www.googletagmanager.com 'unsafe-eval'; script-src 'self'" + STRICT))
                .isEmpty();
    }

    @ParameterizedTest(name = "{0} | {1}")
    @CsvSource(
            quoteCharacter = '`',
            delimiter = '|',
            value = {
                "script-src-elem 'self'; script-src-attr 'unsafe-inline'; script-src 'self' | "
                        + "script-src-elem 'unsafe-inline'; script-src 'self' | false",
                "script-src-elem 'self'; script-src-attr 'unsafe-inline'; script-src 'self' | "
                        + "script-src 'unsafe-inline' | true",
                "script-src-elem 'self' | sandbox | false",
                "script-src-elem 'self'; script-src-attr 'none' | img-src 'none' | false"
            })
    void combinesInlineScriptsOfPolicies(String first, String second, boolean allowed) {
        List<ContentSecurityPolicy> policies = ContentSecurityPolicy.parseAll(List.of(first, second));

        assertThat(ContentSecurityPolicy.weaknesses(policies).stream()
                        .anyMatch(weakness -> weakness.code() == Code.CSP_INLINE_SCRIPTS))
                .isEqualTo(allowed);
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
    void findsOtherWeaknesses(String policy, String code) {
        assertThat(codes(policy)).isEqualTo(code.equals("-") ? Set.of() : Set.of(Code.valueOf("CSP_" + code)));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "script-src self, no quotes",
                "script-src unsafe-inline, no quotes",
                "script-src nonce-abc, no quotes",
                "script-src 'self' style-src 'self', no semicolon",
                "script-src 'slef', unknown keyword",
                "script-src 'nonce-', unknown keyword",
                "script-src 'self' 'none', 'none' together with other sources",
                "scripts-src 'self', unknown directive scripts-src",
                "script-src 'self'; script-src *, repeated directive",
                "script-src 'strict-dynamic', it blocks all scripts",
                "script-src 192.0.2.1, unsupported IP address",
                "script-src https://[2001:db8::1]/, unsupported IP address"
            })
    void reportsSourcesThatBrowsersIgnore(String policy, String error) {
        assertThat(ContentSecurityPolicy.parse(policy).errors())
                .singleElement()
                .asString()
                .contains(error);
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
    void detectsFramingRestrictions(String policy, boolean limited) {
        assertThat(ContentSecurityPolicy.parse(policy).restrictsFraming()).isEqualTo(limited);
    }

    @Test
    void reportsWeaknessesThatAllPoliciesHave() {
        List<ContentSecurityPolicy> policies = ContentSecurityPolicy.parseAll(
                List.of("frame-ancestors 'none', script-src 'unsafe-inline' 'self'", "script-src *"));

        assertThat(policies).hasSize(3);
        assertThat(ContentSecurityPolicy.weaknesses(policies).stream().map(Weakness::code))
                .doesNotContain(Code.CSP_INLINE_SCRIPTS, Code.CSP_ANY_SOURCE, Code.CSP_SCRIPTS_UNLIMITED)
                .contains(Code.CSP_OBJECTS_UNLIMITED);
    }

    @Test
    void keepsTheOrderOfDirectives() {
        assertThat(ContentSecurityPolicy.parse(" img-src  a.test\tb.test ;; Default-Src 'none';")
                        .directives())
                .containsExactly(
                        Map.entry("img-src", List.of("a.test", "b.test")), Map.entry("default-src", List.of("'none'")));
    }

    @Property(tries = 2_000)
    void parsesArbitraryText(@ForAll @StringLength(max = 300) @CharRange(from = ' ', to = '~') String text) {
        for (ContentSecurityPolicy policy : ContentSecurityPolicy.parseAll(List.of(text))) {
            assertThat(policy.weaknesses()).isNotNull();
            assertThat(policy.directives().keySet()).allMatch(name -> name.equals(name.toLowerCase(Locale.ROOT)));
        }
    }

    private static Set<Code> codes(String policy) {
        return ContentSecurityPolicy.parse(policy).weaknesses().stream()
                .map(Weakness::code)
                .collect(Collectors.toSet());
    }

    @Test
    void limitsTheNumberOfPolicies() {
        assertThat(ContentSecurityPolicy.parseAll(List.of("a,".repeat(32_000))))
                .hasSize(ContentSecurityPolicy.MAX_POLICIES);
    }
}
