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

/** What is a key and what only looks like one. */
class ApiKeySecretTest {
    @Example
    void aFreshKeyIsWholeAndLikeNoOther() {
        Set<String> keys = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            String key = ApiKeySecret.fresh();
            assertThat(key).matches("plk_[0-9A-Za-z]{38}");
            assertThat(ApiKeySecret.isWhole(key)).isTrue();
            keys.add(key);
        }
        assertThat(keys).hasSize(1_000);
    }

    @Example
    void theChecksumIsTheOneThatIsDocumented() {
        // reckoned with zlib of another language
        assertThat(ApiKeySecret.isWhole("plk_0123456789ABCDEFGHIJKLMNOPQRSTUV2A0A0X"))
                .isTrue();
    }

    @Property
    void anyOneCharacterThatIsAnotherBreaksIt(
            @ForAll @IntRange(max = 41) int at, @ForAll @CharRange(from = '!', to = '~') char other) {
        String key = ApiKeySecret.fresh();
        Assume.that(key.charAt(at) != other);

        assertThat(ApiKeySecret.isWhole(key.substring(0, at) + other + key.substring(at + 1)))
                .isFalse();
    }

    @Property
    void twoNeighboursThatChangePlacesBreakIt(@ForAll @IntRange(min = 4, max = 40) int at) {
        String key = ApiKeySecret.fresh();
        Assume.that(key.charAt(at) != key.charAt(at + 1));
        String swapped = key.substring(0, at) + key.charAt(at + 1) + key.charAt(at) + key.substring(at + 2);

        assertThat(ApiKeySecret.isWhole(swapped)).isFalse();
    }

    @Property
    void aPartOrMoreOfAKeyIsNone(@ForAll @IntRange(min = 1, max = 41) int length) {
        String key = ApiKeySecret.fresh();

        assertThat(ApiKeySecret.isWhole(key.substring(0, length))).isFalse();
        assertThat(ApiKeySecret.isWhole(key + key.substring(0, length))).isFalse();
        assertThat(ApiKeySecret.isWhole(key + "0")).isFalse();
    }

    @Property
    void noOtherTextIsAKey(@ForAll @StringLength(max = 60) String text) {
        assertThat(ApiKeySecret.isWhole(text)).isFalse();
        assertThat(ApiKeySecret.isWhole("plk_" + text)).isFalse();
    }

    @Example
    void thePrefixGivesAwaySixCharacters() {
        String key = ApiKeySecret.fresh();

        assertThat(ApiKeySecret.prefix(key)).hasSize(10).isEqualTo(key.substring(0, 10));
        assertThat(ApiKeySecret.hash(key)).hasSize(32);
    }
}
