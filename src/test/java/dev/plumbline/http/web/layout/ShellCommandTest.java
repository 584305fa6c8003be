package dev.plumbline.http.web.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShellCommandTest {
    @Test
    void plainWordsAreNotQuoted() {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("method", "get");
        options.put("max_redirects", "3");

        assertThat(ShellCommand.check("http-status", "https://example.com:8443/a", options))
                .isEqualTo("plumbline check http-status --option method=get --option max_redirects=3"
                        + " https://example.com:8443/a");
    }

    /** A shell passes exactly the target and the value to the command. */
    @Tag("integration")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://example.com/?a=1&b=$(id)",
                "it's",
                "'; touch /tmp/x; '",
                "`id` \\ \"q\" $HOME",
                "*[a-z]?~#!{a,b}",
                "[2001:db8::1]:443",
                "~root",
                "a b",
                "",
                "ü",
                "x=~/y"
            })
    void shellsReadTheExactWords(String text) throws IOException {
        String command = ShellCommand.check("m", text, Map.of("o", text));
        Process shell = new ProcessBuilder("sh", "-c", "plumbline() { printf '<%s>' \"$@\"; }\n" + command)
                .redirectErrorStream(true)
                .start();

        assertThat(new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("<check><m><--option><o=" + text + "><" + text + ">");
    }

    @Test
    void targetThatStartsWithAHyphenIsNotAnOption() {
        assertThat(ShellCommand.check("email-address", "-a@example.com", Map.of()))
                .isEqualTo("plumbline check email-address -- -a@example.com");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\nb", "a\u202Eb", "a\u001B[0m"})
    void commandsWithInvisibleCharactersAreNotShown(String text) {
        assertThat(ShellCommand.check("m", text, Map.of())).isNull();
    }
}
