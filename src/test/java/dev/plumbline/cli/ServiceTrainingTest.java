package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.CommandLineRunner;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The training run of the container image. */
@Tag("integration")
class ServiceTrainingTest {
    @Test
    void trainingWithTheServiceSucceeds() {
        CommandLineRunner.Ended ended = CommandLineRunner.run("", "aot-training", "--service");

        assertThat(ended.code()).as(ended.err()).isZero();
        assertThat(ended.err()).doesNotContain("WARN", "ERROR");
    }
}
