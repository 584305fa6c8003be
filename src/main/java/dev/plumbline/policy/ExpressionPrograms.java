package dev.plumbline.policy;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.plumbline.sheet.ModuleDescription;

/**
 * The compiled expressions that were used last. Nothing of the CEL library is loaded before the first expression.
 * Thread-safe; concurrent calls can compile the same expression.
 */
public final class ExpressionPrograms {
    private static final int MAX_EXPRESSIONS = 1_000;

    /** A compiler has the declarations of one module, which are larger than an expression. */
    private static final int MAX_COMPILERS = 8;

    private final Cache<Key, Expectation> expectations =
            Caffeine.newBuilder().maximumSize(MAX_EXPRESSIONS).build();
    private final Cache<String, ExpressionCompiler> compilers =
            Caffeine.newBuilder().maximumSize(MAX_COMPILERS).build();

    /** @param rules the module and the version of its sheet */
    private record Key(String rules, String text) {}

    /**
     * Returns a compiled expression, from the cache if possible.
     *
     * @throws InvalidExpressionException as {@link ExpressionCompiler#compile}
     */
    public Expectation get(ModuleDescription module, String text) throws InvalidExpressionException {
        Key key = new Key(module.rules(), text);
        Expectation known = expectations.getIfPresent(key);
        if (known != null) {
            return known;
        }
        Expectation compiled = compilers
                .get(module.rules(), rules -> new ExpressionCompiler(module))
                .compile(text);
        expectations.put(key, compiled);
        return compiled;
    }

    /** Whether an expression can be returned without compilation. */
    public boolean contains(ModuleDescription module, String text) {
        return expectations.getIfPresent(new Key(module.rules(), text)) != null;
    }
}
