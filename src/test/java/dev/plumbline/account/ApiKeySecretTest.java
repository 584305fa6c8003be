package dev.plumbline.account;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import net.jqwik.api.Assume;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;

/** Format and checksum of API keys. */
class ApiKeySecretTest {
    @Example
    void generatedKeysAreWellFormedAndUnique() {
        Set<String> keys = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            String key = ApiKeySecret.generate();
            assertThat(key).matches("plk_[0-9A-Za-z]{38}");
            assertThat(ApiKeySecret.isWellFormed(key)).isTrue();
            keys.add(key);
        }
        assertThat(keys).hasSize(1_000);
    }

    @Example
    void theChecksumIsTheOneThatIsDocumented() {
        // checksums computed with another zlib binding
        assertThat(ApiKeySecret.isWellFormed("plk_0123456789ABCDEFGHIJKLMNOPQRSTUV2A0A0X"))
                .isTrue();
    }

    @Property
    void aChangedCharacterIsDetected(
            @ForAll @IntRange(max = 41) int at, @ForAll @CharRange(from = '!', to = '~') char other) {
        String key = ApiKeySecret.generate();
        Assume.that(key.charAt(at) != other);

        assertThat(ApiKeySecret.isWellFormed(key.substring(0, at) + other + key.substring(at + 1)))
                .isFalse();
    }

    @Property
    void swappedCharactersAreDetected(@ForAll @IntRange(min = 4, max = 40) int at) {
        String key = ApiKeySecret.generate();
        Assume.that(key.charAt(at) != key.charAt(at + 1));
        String swapped = key.substring(0, at) + key.charAt(at + 1) + key.charAt(at) + key.substring(at + 2);

        assertThat(ApiKeySecret.isWellFormed(swapped)).isFalse();
    }

    @Property
    void keysOfAnotherLengthAreRejected(@ForAll @IntRange(min = 1, max = 41) int length) {
        String key = ApiKeySecret.generate();

        assertThat(ApiKeySecret.isWellFormed(key.substring(0, length))).isFalse();
        assertThat(ApiKeySecret.isWellFormed(key + key.substring(0, length))).isFalse();
        assertThat(ApiKeySecret.isWellFormed(key + "0")).isFalse();
    }

    @Property
    void noOtherTextIsAKey(@ForAll @StringLength(max = 60) String text) {
        assertThat(ApiKeySecret.isWellFormed(text)).isFalse();
        assertThat(ApiKeySecret.isWellFormed("plk_" + text)).isFalse();
    }

    @Example
    void thePrefixContainsSixCharacters() {
        String key = ApiKeySecret.generate();

        assertThat(ApiKeySecret.prefix(key)).hasSize(10).isEqualTo(key.substring(0, 10));
        assertThat(ApiKeySecret.hash(key)).hasSize(32);
    }
}
