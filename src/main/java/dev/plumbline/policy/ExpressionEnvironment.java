package dev.plumbline.policy;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableMap;
import dev.cel.checker.CelStandardDeclarations;
import dev.cel.checker.CelStandardDeclarations.StandardFunction;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOptions;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import dev.cel.common.types.TypeParamType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerBuilder;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.ModuleDescription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The variables, types and functions of the expressions of a module. */
final class ExpressionEnvironment {
    static final String FIELDS = "fields";
    static final String VERDICT = "verdict";
    static final String ERROR_CODE = "error_code";
    static final String FINDINGS = "findings";

    /** The functions that users can call, in addition to the operators and macros. */
    static final Set<String> FUNCTIONS = Set.of(
            "size",
            "contains",
            "startsWith",
            "endsWith",
            "matches",
            "int",
            "double",
            "string",
            "timestamp",
            "duration",
            "has",
            "all",
            "exists",
            "exists_one",
            "filter",
            "map");

    /** Names that are not variables: the other variables, and those of CEL's types, functions and reserved words. */
    private static final Set<String> RESERVED = Set.of(
            FIELDS,
            VERDICT,
            ERROR_CODE,
            FINDINGS,
            "size",
            "contains",
            "matches",
            "int",
            "uint",
            "double",
            "bool",
            "string",
            "bytes",
            "list",
            "map",
            "type",
            "null_type",
            "timestamp",
            "duration",
            "has",
            "all",
            "exists",
            "filter",
            "as",
            "break",
            "const",
            "continue",
            "else",
            "false",
            "for",
            "function",
            "if",
            "import",
            "in",
            "let",
            "loop",
            "package",
            "namespace",
            "null",
            "return",
            "true",
            "var",
            "void",
            "while");

    /** Nested expressions beyond this depth are rejected. It limits the stack of the parser. */
    static final int MAX_DEPTH = 32;

    private static final CelOptions OPTIONS = CelOptions.current()
            .maxExpressionCodePointSize(ExpressionCompiler.MAX_LENGTH)
            .maxParseRecursionDepth(MAX_DEPTH)
            .maxParseErrorRecoveryLimit(1)
            .enableHeterogeneousNumericComparisons(true)
            .build();

    private final Map<String, StructType> structs = new LinkedHashMap<>();
    private final Set<String> memberNames = new LinkedHashSet<>();
    private final Set<String> variables = new LinkedHashSet<>();
    private final ModuleDescription module;
    private final CelCompiler compiler;

    ExpressionEnvironment(ModuleDescription module) {
        this.module = module;
        CelCompilerBuilder builder = CelCompilerFactory.standardCelCompilerBuilder()
                .setOptions(OPTIONS)
                .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
                .setStandardEnvironmentEnabled(false)
                .setStandardDeclarations(CelStandardDeclarations.newBuilder()
                        .includeFunctions(
                                StandardFunction.CONDITIONAL,
                                StandardFunction.LOGICAL_NOT,
                                StandardFunction.LOGICAL_AND,
                                StandardFunction.LOGICAL_OR,
                                StandardFunction.NOT_STRICTLY_FALSE,
                                StandardFunction.EQUALS,
                                StandardFunction.NOT_EQUALS,
                                StandardFunction.LESS,
                                StandardFunction.LESS_EQUALS,
                                StandardFunction.GREATER,
                                StandardFunction.GREATER_EQUALS,
                                StandardFunction.IN,
                                StandardFunction.INDEX,
                                StandardFunction.ADD,
                                StandardFunction.SUBTRACT,
                                StandardFunction.MULTIPLY,
                                StandardFunction.DIVIDE,
                                StandardFunction.MODULO,
                                StandardFunction.NEGATE,
                                StandardFunction.SIZE,
                                StandardFunction.CONTAINS,
                                StandardFunction.STARTS_WITH,
                                StandardFunction.ENDS_WITH,
                                StandardFunction.MATCHES,
                                StandardFunction.INT,
                                StandardFunction.DOUBLE,
                                StandardFunction.STRING,
                                StandardFunction.TIMESTAMP,
                                StandardFunction.DURATION)
                        // the names of types
                        .filterIdentifiers(identifier -> false)
                        .build());
        StructType fields = struct("@" + FIELDS, module.fields());
        declare(builder, FIELDS, fields);
        declare(builder, VERDICT, SimpleType.STRING);
        declare(builder, ERROR_CODE, SimpleType.STRING);
        declare(builder, FINDINGS, ListType.create(SimpleType.STRING));
        for (FieldDescription field : module.fields()) {
            if (isVariable(field.name())) {
                fields.findField(field.name()).ifPresent(found -> declare(builder, field.name(), found.type()));
            }
        }
        ImmutableMap<String, CelType> types = ImmutableMap.copyOf(structs);
        builder.setTypeProvider(new CelTypeProvider() {
            @Override
            public ImmutableCollection<CelType> types() {
                return types.values();
            }

            @Override
            public Optional<CelType> findType(String name) {
                return Optional.ofNullable(types.get(name));
            }
        });
        builder.addFunctionDeclarations(comparisons("_==_"), comparisons("_!=_"));
        compiler = builder.build();
    }

    private void declare(CelCompilerBuilder builder, String name, CelType type) {
        builder.addVar(name, type);
        variables.add(name);
    }

    /** Whether a field is also a variable, not only {@code fields.NAME}. */
    static boolean isVariable(String field) {
        return !RESERVED.contains(field);
    }

    /**
     * Comparisons that the standard does not declare: any value with null, and integers with numbers. The type of a
     * field does not show whether it is nullable, because any field can be null in a result with an error.
     */
    private static CelFunctionDecl comparisons(String operator) {
        CelType any = TypeParamType.create("T");
        List<CelOverloadDecl> overloads = new ArrayList<>();
        for (CelType type : List.of(
                SimpleType.BOOL,
                SimpleType.INT,
                SimpleType.DOUBLE,
                SimpleType.STRING,
                ListType.create(any),
                MapType.create(SimpleType.STRING, any))) {
            String name = operator + type.kind();
            overloads.add(overload(name + "_null", type, SimpleType.NULL_TYPE));
            overloads.add(overload("null_" + name, SimpleType.NULL_TYPE, type));
        }
        overloads.add(overload(operator + "int_double", SimpleType.INT, SimpleType.DOUBLE));
        overloads.add(overload(operator + "double_int", SimpleType.DOUBLE, SimpleType.INT));
        return CelFunctionDecl.newFunctionDeclaration(operator, overloads);
    }

    private static CelOverloadDecl overload(String id, CelType left, CelType right) {
        return CelOverloadDecl.newGlobalOverload(id, SimpleType.BOOL, left, right);
    }

    private StructType struct(String name, Collection<FieldDescription> members) {
        ImmutableMap.Builder<String, CelType> byName = ImmutableMap.builder();
        for (FieldDescription member : members) {
            byName.put(member.name(), type(name, member));
            memberNames.add(member.name());
        }
        ImmutableMap<String, CelType> types = byName.buildOrThrow();
        StructType struct = StructType.create(name, types.keySet(), member -> Optional.ofNullable(types.get(member)));
        structs.put(name, struct);
        return struct;
    }

    private CelType type(String owner, FieldDescription field) {
        return field.type() == FieldType.ARRAY
                ? ListType.create(type(owner, field, field.items()))
                : type(owner, field, field.type());
    }

    private CelType type(String owner, FieldDescription field, FieldType type) {
        return switch (type) {
            case STRING -> SimpleType.STRING;
            case INTEGER -> SimpleType.INT;
            case NUMBER -> SimpleType.DOUBLE;
            case BOOLEAN -> SimpleType.BOOL;
            case TIME -> SimpleType.TIMESTAMP;
            case ARRAY -> ListType.create(SimpleType.DYN);
            case OBJECT ->
                field.members().isEmpty()
                        ? MapType.create(SimpleType.STRING, SimpleType.DYN)
                        : struct(owner + "." + field.name(), field.members());
        };
    }

    ModuleDescription module() {
        return module;
    }

    CelCompiler compiler() {
        return compiler;
    }

    /** The names that can be used without {@code fields.}. */
    Set<String> variables() {
        return variables;
    }

    /** The names of the fields and of the members of objects. */
    Set<String> memberNames() {
        return memberNames;
    }
}
