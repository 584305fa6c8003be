package dev.plumbline.policy;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.plumbline.sheet.ModuleDescription;

/**
 * The compiled expressions that were used last, and those that are not valid. Nothing of the CEL library is loaded
 * before the first expression. Thread-safe; concurrent calls can compile the same expression.
 */
public final class ExpressionPrograms {
    private static final int MAX_EXPRESSIONS = 1_000;

    /** The memory of the expressions that are not valid, in bytes. */
    private static final int MAX_INVALID_BYTES = 1 << 20;

    private static final int OBJECT_BYTES = 300;

    /** A compiler has the declarations of one module, which are larger than an expression. */
    private static final int MAX_COMPILERS = 8;

    private final Cache<Key, Expectation> expectations =
            Caffeine.newBuilder().maximumSize(MAX_EXPRESSIONS).build();
    private final Cache<Key, InvalidExpressionException> invalid = Caffeine.newBuilder()
            .maximumWeight(MAX_INVALID_BYTES)
            .weigher((Key key, InvalidExpressionException problem) -> OBJECT_BYTES
                    + 2 * (key.text.length() + 2 * problem.problem().length()))
            // evicts before the next one is added
            .executor(Runnable::run)
            .build();
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
        InvalidExpressionException problem = invalid.getIfPresent(key);
        if (problem != null) {
            throw problem;
        }
        try {
            Expectation compiled = compilers
                    .get(module.rules(), rules -> new ExpressionCompiler(module))
                    .compile(text);
            expectations.put(key, compiled);
            return compiled;
        } catch (InvalidExpressionException rejected) {
            invalid.put(key, rejected);
            throw rejected;
        }
    }

    /** Whether the result of {@link #get} is known without compilation. */
    public boolean contains(ModuleDescription module, String text) {
        Key key = new Key(module.rules(), text);
        return expectations.getIfPresent(key) != null || invalid.getIfPresent(key) != null;
    }
}
