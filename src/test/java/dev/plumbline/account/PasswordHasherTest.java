package dev.plumbline.account;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.support.Await;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PasswordHasherTest {
    private static final String GOOD = "correct horse battery";

    private Vertx vertx;
    private PasswordHasher passwords;

    @BeforeAll
    void start() {
        vertx = Vertx.vertx();
        passwords = new PasswordHasher(vertx);
    }

    @AfterAll
    void stop() {
        Await.value(vertx.close());
    }

    @Test
    void onlyTheSamePasswordMatchesAHash() {
        String hash = Await.value(passwords.hash(GOOD));

        assertThat(hash).startsWith("$argon2id$v=19$m=19456,t=2,p=1$").doesNotContain(GOOD);
        assertThat(Await.value(passwords.verify(GOOD, hash))).isTrue();
        assertThat(Await.value(passwords.verify(GOOD + " ", hash))).isFalse();
        assertThat(Await.value(passwords.verify("", hash))).isFalse();
    }

    /** Created with password4j. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ' ',
            value = {
                "correct_horse_battery"
                        + " $argon2id$v=19$m=19456,t=2,p=1$c9Uau9icuBlvDvtokvlNaA"
                        + "$ueXB9acWi4FG/dhRuK2XxqkqK0GBHAN5ddpnCcXixBw",
                "Ångström_übermaß_fin"
                        + " $argon2id$v=19$m=19456,t=2,p=1$/MwsNfC4Rgnl8SxV3YWrqA"
                        + "$vNbgNuX5MVmxiZWJ291pHl8x8LJ42t1KXdP/vngJjUk",
                "🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂🙂"
                        + " $argon2id$v=19$m=19456,t=2,p=1$1dm+92gI87Vy5ZABErgZJw"
                        + "$EdzDnu2jBc+oIzAkrgHocapDMhm5sX7iFqIbzlA80rs"
            })
    void hashesOfEarlierVersionsStayValid(String password, String hash) {
        String words = password.replace('_', ' ');

        assertThat(Await.value(passwords.verify(words, hash))).isTrue();
        assertThat(Await.value(passwords.verify(words + ".", hash))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "correct horse battery",
                "$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
                "$argon2x$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
                "$argon2id$v=18$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
                "$argon2id$v=19$m=65537,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
                "$argon2id$v=19$m=9999999999,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCE",
                "$argon2id$v=19$m=256,t=17,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
                "$argon2id$v=19$m=256,t=0,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
                "$argon2id$v=19$m=256,t=2,p=17$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
                "$argon2id$v=19$m=15,t=2,p=2$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
                "$argon2id$v=19$m=256,t=2,p=1$c29tZXM$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
                "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65",
                "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65E",
                "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ",
                "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ=$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
            })
    void invalidOrTooExpensiveHashesAreInternalErrorsWithoutTheirText(String hash) {
        Throwable fault = Await.failure(passwords.verify(GOOD, hash));

        assertThat(fault).isInstanceOf(IllegalArgumentException.class);
        assertThat(fault.getMessage()).doesNotContain("c29tZX", "nf65", "$2b", "horse");
        assertThat(passwords.pending()).isZero();
    }

    @Test
    void hashesAreSalted() {
        assertThat(Await.value(passwords.hash(GOOD))).isNotEqualTo(Await.value(passwords.hash(GOOD)));
    }

    @Test
    void aMissingHashNeverMatches() {
        assertThat(Await.value(passwords.verify(GOOD, null))).isFalse();
    }

    @Test
    void passwordsAreNormalized() {
        String hash = Await.value(passwords.hash("Ångström übermaß ﬁn"));

        assertThat(Await.value(passwords.verify("A\u030angstro\u0308m u\u0308bermaß fin", hash)))
                .isTrue();
    }

    @Test
    void unpairedSurrogatesAreRejected() {
        String hash = Await.value(passwords.hash("aaaaaaaaaaa?"));

        assertThat(Await.value(passwords.verify("aaaaaaaaaaa\ud800", hash))).isFalse();
        assertThat(PasswordHasher.validate("aaaaaaaaaaa\ud800")).contains("not valid Unicode");
    }

    @Test
    void lengthIsCountedInCodePoints() {
        assertThat(PasswordHasher.validate("🙂".repeat(11))).contains("at least 12");
        assertThat(PasswordHasher.validate("🙂".repeat(12))).isNull();
        assertThat(PasswordHasher.validate("🙂".repeat(1_024))).isNull();
        assertThat(PasswordHasher.validate("🙂".repeat(1_025))).contains("at most 1024");
        assertThat(PasswordHasher.validate("\ufdfa".repeat(1_024))).contains("at most 1024");
        assertThat(PasswordHasher.validate("e\u0301".repeat(11))).contains("at least 12");
    }

    @Test
    void invalidPasswordsAreNotHashed() {
        assertThatThrownBy(() -> passwords.hash("short"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageNotContaining("short");
    }

    /** More concurrent hashes than the queue permits: the excess is rejected at once, the others complete. */
    @Test
    void aFullQueueRejectsHashes() {
        List<Future<Boolean>> asked = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            asked.add(passwords.verify(GOOD, null));
        }

        assertThat(passwords.pending()).isLessThanOrEqualTo(32);
        Stream<Future<Boolean>> refused = asked.stream().filter(Future::failed);
        assertThat(refused).isNotEmpty().allMatch(f -> f.cause() instanceof HashingQueueFullException);
        asked.removeIf(Future::failed);
        Await.value(Future.all(asked));
        assertThat(asked).hasSizeGreaterThanOrEqualTo(32);
        assertThat(passwords.pending()).isZero();
    }
}
