package dev.plumbline.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import dev.plumbline.postgres.embedded.EmbeddedPostgres;
import dev.plumbline.postgres.embedded.ExtractedPrograms;
import dev.plumbline.support.Await;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The parameters sslmode and sslrootcert of database.url, with a PostgreSQL server that has a certificate. */
@Tag("integration")
class DatabaseTlsTest {
    private static final Vertx VERTX = Vertx.vertx();

    @TempDir
    static Path folder;

    private static EmbeddedPostgres server;

    @BeforeAll
    static void start() throws IOException {
        ExtractedPrograms.linkInto(folder.resolve("data"));
        server = EmbeddedPostgres.start(folder.resolve("data"));
        TestCa ca = TestCa.root("Database CA");
        TestCa.Identity identity = ca.issue(CertificateSpec.server("localhost"));
        Path key = Files.writeString(folder.resolve("server.key"), identity.keyPem());
        Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-------"));
        Path certificate = Files.writeString(folder.resolve("server.pem"), identity.pem());
        Files.writeString(folder.resolve("ca.pem"), TestCa.pem(ca.certificate()));
        Files.writeString(
                folder.resolve("other.pem"), TestCa.pem(TestCa.root("Other CA").certificate()));
        PgConnection superuser =
                Await.value(PgConnection.connect(VERTX, DatabaseOptions.of(server.superuserUrl("postgres"))));
        for (String sql : new String[] {
            "alter system set ssl_cert_file = '" + certificate + "'",
            "alter system set ssl_key_file = '" + key + "'",
            "alter system set ssl = on",
            "select pg_reload_conf()"
        }) {
            Await.value(superuser.query(sql).execute());
        }
        Await.value(superuser.close());
        Await.until(() -> Await.value(encrypted("localhost", "sslmode=require").otherwise(false)));
    }

    @AfterAll
    static void stop() {
        server.close();
        Await.value(VERTX.close());
    }

    /** Whether the connection is encrypted, as the server reports it. */
    private static Future<Boolean> encrypted(String host, String parameters) {
        String url = server.url().replace("127.0.0.1", host) + "?" + parameters;
        return PgConnection.connect(VERTX, DatabaseOptions.of(url)).compose(connection -> connection
                .query("select ssl from pg_stat_ssl where pid = pg_backend_pid()")
                .execute()
                .map(rows -> rows.iterator().next().getBoolean(0))
                .eventually(connection::close));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sslmode=require",
                "sslmode=prefer",
                "sslmode=verify-ca&sslrootcert=",
                "sslmode=verify-full&sslrootcert="
            })
    void connectionsAreEncrypted(String parameters) {
        assertThat(Await.value(encrypted("localhost", withCertificate(parameters, "ca.pem"))))
                .isTrue();
    }

    @Test
    void disableSendsNoTls() {
        assertThat(Await.value(encrypted("localhost", "sslmode=disable"))).isFalse();
    }

    @Test
    void verifyFullRejectsACertificateForAnotherHost() {
        String parameters = withCertificate("sslmode=verify-full&sslrootcert=", "ca.pem");

        assertThat(Await.failure(encrypted("127.0.0.1", parameters))).hasMessageContaining("SSL handshake failed");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"sslmode=verify-ca&sslrootcert=", "sslmode=verify-full&sslrootcert=", "sslmode=verify-full"})
    void verificationRejectsAnotherAuthority(String parameters) {
        assertThat(Await.failure(encrypted("localhost", withCertificate(parameters, "other.pem"))))
                .hasMessageContaining("SSL handshake failed");
    }

    private static String withCertificate(String parameters, String file) {
        return parameters.endsWith("=") ? parameters + folder.resolve(file) : parameters;
    }
}
