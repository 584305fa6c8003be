package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.result.Evaluation;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.target.InputType;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ModuleCatalogueTest {

    private record DescribedModule(ModuleDescription description) implements ModuleDefinition<String> {
        @Override
        public Future<String> collect(Target target, CheckContext context) {
            return Future.failedFuture("not run");
        }

        @Override
        public Evaluation evaluate(String evidence, Options options) {
            throw new IllegalStateException("not run");
        }
    }

    private static DescribedModule defaultFor(String name, InputType... types) {
        return new DescribedModule(ModuleDescriptionBuilder.of(name, name, InputType.DOMAIN)
                .defaultFor(types)
                .build());
    }

    @Test
    void findsTheDefaultModuleOfAType() {
        ModuleCatalogue modules =
                new ModuleCatalogue(List.of(defaultFor("a"), defaultFor("b", InputType.DOMAIN, InputType.EMAIL)));

        assertThat(modules.defaultFor(InputType.EMAIL).module()).isEqualTo("b");
        assertThat(modules.defaultFor(InputType.URL)).isNull();
    }

    @Test
    void rejectsTwoDefaultsForAType() {
        assertThatThrownBy(() -> new ModuleCatalogue(
                        List.of(defaultFor("a", InputType.URL), defaultFor("b", InputType.IP, InputType.URL))))
                .hasMessage("default_for: url is declared by both a and b");
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "HOST")
    void everyTypeOfInputHasADefaultModule(InputType type) {
        assertThat(ModuleCatalogue.load().defaultFor(type)).isNotNull();
    }
}
