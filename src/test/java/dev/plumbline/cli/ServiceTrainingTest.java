package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.CommandLineRunner;
import dev.plumbline.support.CommandResult;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The training run of the AOT cache. */
@Tag("integration")
class ServiceTrainingTest {
    @Test
    void trainingWithTheServiceSucceeds() {
        CommandResult result = CommandLineRunner.run("", "aot-training");

        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.err()).doesNotContain("WARN", "ERROR");
    }
}
