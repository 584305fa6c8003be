package dev.plumbline.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class MigrationTest {
    /** SHA-256 by file name. Databases that have applied one of these migrations reject a modified one. */
    private static final Map<String, String> APPLIED = Map.ofEntries(
            Map.entry(
                    "V001__results_and_quotas.sql", "372b8cea019aaa92b543474491a8287a81fa8cb3d97b6740411e0d2771e957c0"),
            Map.entry("V002__accounts.sql", "4b059ccef5f837d48c4a0582fea3da62cebd3d4737880ca2d4c745fe0105eb2d"),
            Map.entry("V003__jobs.sql", "4dfb360fe7b49bb9ab2b28c28dfc68a94119e06ce7a0ad7fe8ca64898f548951"),
            Map.entry(
                    "V004__crash_attribution.sql", "6091f6efdebe071392044a14647b9e3d0b48daee6689068449929b37ca00b07d"),
            Map.entry("V005__replaced_results.sql", "f4028f298af0dee2d2141b48e0b0bed55ba3314ed79b8a99a9d16e439f4257d0"),
            Map.entry("V006__waiting_lines.sql", "07b57b160c656fd40b8db618a4ec05c0e91dbfcd1fe7f41e807f4e841b2a4c29"),
            Map.entry("V007__schema_functions.sql", "eed5da82274256aa8dc1b43a3a81d6fb0406bf23ade6cd8b5a33c35e4f000cdb"),
            Map.entry("V008__unused_functions.sql", "55512a8969d53879e2d786dab6bfed0ad1a0eadc4e35f7580a4ed4c26cdcdba3"),
            Map.entry("V009__shared_results.sql", "e7ba80affc1e5677d60dc8b9a6a31e34b9c644d630fe251efa2c895942ed1437"),
            Map.entry("V010__job_evaluation.sql", "745edb3e0fd31aafbf8535f31f13559a15545ee607852700fb20b4159e203165"),
            Map.entry("V011__job_trace.sql", "35b05cb8a217918bfae48863500f3af298ca29c1315aac284ab1550629eec60d"));

    @Test
    void appliedMigrationsAreNotModified() {
        assertThat(Migration.all().stream().collect(Collectors.toMap(Migration::name, Migration::checksum)))
                .as("add a new migration instead of editing this one")
                .containsAllEntriesOf(APPLIED);
    }
}
