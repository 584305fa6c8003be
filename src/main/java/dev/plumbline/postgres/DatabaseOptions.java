package dev.plumbline.postgres;

import io.netty.handler.codec.http.QueryStringDecoder;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.TrustOptions;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.SslMode;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** Parses connection URLs. */
public final class DatabaseOptions {
    private DatabaseOptions() {}

    /**
     * @param url {@code postgresql://user:password@host:port/name}, with the parameters {@code sslmode} and
     *     {@code sslrootcert} of libpq
     * @throws PostgresException if it is not valid; the message does not contain the password
     */
    public static PgConnectOptions of(String url) {
        if (!url.startsWith("postgresql://") && !url.startsWith("postgres://")) {
            throw malformed();
        }
        try {
            return withTls(PgConnectOptions.fromUri(url), url)
                    .addProperty("application_name", "plumbline")
                    .addProperty("timezone", "UTC")
                    .addProperty("client_min_messages", "warning")
                    // compilation takes longer than each of the statements
                    .addProperty("jit", "off")
                    .addProperty("max_parallel_workers_per_gather", "0")
                    .addProperty("default_transaction_isolation", "read committed");
        } catch (RuntimeException e) {
            throw malformed();
        }
    }

    /** The client itself reads neither a root certificate nor the defaults of {@code sslmode}. */
    private static PgConnectOptions withTls(PgConnectOptions options, String url) {
        SslMode mode = options.getSslMode();
        if (mode == SslMode.DISABLE) {
            return options;
        }
        boolean verified = mode == SslMode.VERIFY_CA || mode == SslMode.VERIFY_FULL;
        List<String> authorities = new QueryStringDecoder(url).parameters().getOrDefault("sslrootcert", List.of());
        ClientSSLOptions tls = new ClientSSLOptions()
                .setTrustAll(!verified)
                .setHostnameVerificationAlgorithm(mode == SslMode.VERIFY_FULL ? "HTTPS" : "");
        if (!authorities.isEmpty()) {
            tls.setTrustOptions(new PemTrustOptions().addCertPath(authorities.get(0)));
        } else if (verified) {
            tls.setTrustOptions(TrustOptions.wrap(defaultTrustManager()));
        }
        return options.setSslOptions(tls);
    }

    private static TrustManager defaultTrustManager() {
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init((KeyStore) null);
            return factory.getTrustManagers()[0];
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("the trust store of the JDK cannot be read", impossible);
        }
    }

    private static PostgresException malformed() {
        return new PostgresException("database.url is not valid. Format: postgresql://user:password@host:port/name.");
    }

    /**
     * Host, port and database name of a URL, without user and password.
     *
     * @throws PostgresException if the URL is not valid
     */
    public static String describe(String url) {
        return describe(of(url));
    }

    static String describe(PgConnectOptions options) {
        JsonObject json = options.toJson();
        return json.getString("host") + ":" + json.getInteger("port") + "/" + options.getDatabase();
    }
}
