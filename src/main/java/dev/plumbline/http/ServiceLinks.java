package dev.plumbline.http;

/** The paths and the {@code Link} headers for discovery of the API and its description. */
public final class ServiceLinks {
    /** The API catalog (RFC 9727). */
    public static final String CATALOG = "/.well-known/api-catalog";

    /** The overview for language models (llmstxt.org). */
    public static final String LLMS_TEXT = "/llms.txt";

    /** The Model Context Protocol. */
    public static final String MCP = "/mcp";

    public static final String DESCRIPTION = "/openapi.json";
    public static final String DOCUMENTATION = "/docs";

    private ServiceLinks() {}

    /**
     * Returns the value of the header {@code Link} with the relations {@code service-desc} and {@code service-doc} (RFC
     * 8631) and {@code api-catalog}.
     *
     * @param publicUrl the public base URL of the service
     */
    public static String header(String publicUrl) {
        return "<" + publicUrl + DESCRIPTION + ">; rel=\"service-desc\"; type=\"application/json\", <" + publicUrl
                + DOCUMENTATION + ">; rel=\"service-doc\"; type=\"text/html\", " + catalog(publicUrl);
    }

    /** Returns the value of the header {@code Link} with the relation {@code api-catalog}. */
    public static String catalog(String publicUrl) {
        return "<" + publicUrl + CATALOG + ">; rel=\"api-catalog\"; type=\"application/linkset+json\"";
    }
}
