package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.support.ClientTools;
import dev.plumbline.support.DebianTool;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The Debian package in a new root directory with Debian's packages: {@code mvn -Pscenario,deb verify}. It requires
 * root, debootstrap and the packages of Debian. Without systemd in that root, the test starts the service as the unit
 * does.
 */
@Tag("scenario")
class DebianPackageScenario {
    private static final Path UNIT = Path.of("usr/lib/systemd/system/plumbline.service");
    private static final Path SETTINGS = Path.of("etc/plumbline/plumbline.yaml");

    private static Path directory;
    private static Path debianPackage;
    private static Path root;
    private static HttpServer target;
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final int port = FreePorts.next();
    private final int managementPort = FreePorts.next();

    @BeforeAll
    static void createRoot() throws Exception {
        try (Stream<Path> files = Files.list(ServiceProcess.JAR.getParent())) {
            debianPackage = files.filter(file -> file.toString().endsWith("_all.deb"))
                    .findFirst()
                    .orElse(null);
        }
        assumeTrue(debianPackage != null, "the Debian package is missing: add the profile deb");
        directory = ClientTools.emptyDirectory("deb");
        target = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        target.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        target.start();
    }

    @AfterAll
    static void stop() {
        if (target != null) {
            target.stop(0);
        }
    }

    @Test
    void lintianReportsNoErrorOrWarning() {
        String output = ClientTools.run(
                directory,
                DebianTool.require("lintian").toString(),
                "--allow-root",
                "--fail-on=error",
                debianPackage.toString());

        assertThat(output.lines().filter(line -> line.matches("[EW]: .*"))).isEmpty();
    }

    @Test
    void packageIsInstalledStartedUpgradedRemovedAndPurged() throws Exception {
        createDebianRoot();
        install(debianPackage);

        assertThat(permissions("etc/plumbline")).isEqualTo("root:plumbline rwxr-x---");
        assertThat(permissions(SETTINGS.toString())).isEqualTo("root:plumbline rw-r-----");
        assertThat(permissions("var/lib/plumbline")).isEqualTo("plumbline:plumbline rwx------");
        assertThat(root.resolve("etc/systemd/system/multi-user.target.wants/plumbline.service"))
                .isSymbolicLink();
        assertThat(inRoot("env", "PLUMBLINE_AOT_CACHE=off", "plumbline", "--version"))
                .startsWith("plumbline ");
        // that of a command of root
        Files.createDirectories(root.resolve("usr/share/plumbline/cache/plumbline-1"));

        String changed = Files.readString(root.resolve(SETTINGS))
                + """
                http: {port: %d}
                management: {port: %d}
                targets: {allow: [127.0.0.0/8], ports: ["*"]}
                """
                        .formatted(port, managementPort);
        Files.writeString(root.resolve(SETTINGS), changed);
        Files.writeString(root.resolve("etc/plumbline/environment"), "PLUMBLINE_AOT_CACHE=off\n");
        String key = run(printed -> {
            assertThat(check()).contains("\"verdict\":\"").contains("\"status\":200");
            return value(printed, "api-key");
        });
        assertThat(root.resolve("var/lib/plumbline/data/postgres")).isDirectory();

        install(newerVersion());

        assertThat(root.resolve(SETTINGS)).hasContent(changed);
        assertThat(root.resolve(SETTINGS + ".dpkg-dist")).content().endsWith("# new\n");
        run(printed -> {
            assertThat(get("/api/v1/jobs", key).statusCode()).isEqualTo(200);
            assertThat(printed).noneMatch(line -> line.startsWith("api-key"));
            return check();
        });

        inRoot("dpkg", "--remove", "plumbline");
        assertThat(root.resolve("usr/share/plumbline")).doesNotExist();
        assertThat(root.resolve("usr/bin/plumbline")).doesNotExist();
        assertThat(root.resolve(SETTINGS)).hasContent(changed);
        assertThat(root.resolve("var/lib/plumbline/data/postgres")).isDirectory();

        assertThat(inRoot("dpkg", "--purge", "plumbline")).doesNotContain("not empty");
        assertThat(root.resolve("etc/plumbline")).doesNotExist();
        assertThat(root.resolve("var/lib/plumbline")).doesNotExist();
        assertThat(root.resolve("etc/systemd/system/multi-user.target.wants/plumbline.service"))
                .doesNotExist();
    }

    /** The packages that ours depends on, so that the test installs it without a network. */
    private static void createDebianRoot() throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "skipped: debootstrap requires root");
        String depends = field("Depends");
        List<String> dependencies = Stream.of(depends.split(", *", -1))
                .map(alternatives -> alternatives.split(" ", 2)[0])
                .toList();
        root = directory.resolve("root");
        ClientTools.install(
                "a Debian root",
                directory,
                List.of(
                        DebianTool.ifInstalled("debootstrap").toString(),
                        "--variant=minbase",
                        "--include=" + String.join(",", dependencies),
                        "stable",
                        root.toString()));
    }

    private static String field(String name) {
        return ClientTools.run(directory, "dpkg-deb", "--field", debianPackage.toString(), name)
                .strip();
    }

    private static void install(Path file) throws IOException {
        Path copy = root.resolve("tmp").resolve(file.getFileName());
        Files.copy(file, copy);
        inRoot("dpkg", "--force-confdef", "--force-confold", "--install", "/tmp/" + file.getFileName());
        Files.delete(copy);
    }

    /** The package with a higher version and other default settings. */
    private static Path newerVersion() throws IOException {
        Path content = directory.resolve("newer");
        Path file = directory.resolve("newer.deb");
        ClientTools.run(directory, "dpkg-deb", "--raw-extract", debianPackage.toString(), content.toString());
        Path control = content.resolve("DEBIAN/control");
        Files.writeString(control, Files.readString(control).replaceFirst("\nVersion: .*", "\nVersion: 99"));
        Files.writeString(content.resolve(SETTINGS), "# new\n", StandardOpenOption.APPEND);
        ClientTools.run(
                directory, "dpkg-deb", "--root-owner-group", "-Znone", "--build", content.toString(), file.toString());
        return file;
    }

    private static String permissions(String name) throws IOException {
        Path file = root.resolve(name);
        PosixFileAttributes attributes = Files.readAttributes(file, PosixFileAttributes.class);
        String owner = inRoot("stat", "-c", "%U:%G", "/" + name).strip();
        return owner + " " + PosixFilePermissions.toString(attributes.permissions());
    }

    private static String inRoot(String... command) {
        List<String> all = enter("root");
        all.addAll(List.of(command));
        return ClientTools.run(directory, all.toArray(String[]::new));
    }

    /** The start of a command with the root directory, /proc and /dev; the mounts end with it. */
    private static List<String> enter(String user) {
        return enter(user, "");
    }

    /**
     * As {@link #enter(String)}, with more mounts.
     *
     * @param mounts shell commands for the root directory {@code $1}, each with a semicolon
     */
    private static List<String> enter(String user, String mounts) {
        return new ArrayList<>(List.of(
                "unshare",
                "--mount",
                "sh",
                "-ec",
                "mount --bind \"$1\" \"$1\"; mount -t proc proc \"$1/proc\"; mount --rbind /dev \"$1/dev\"; " + mounts
                        + " root=$1; user=$2; shift 2;"
                        + " exec chroot --userspec=\"$user:$user\" \"$root\" \"$@\"",
                "sh",
                root.toString(),
                user));
    }

    private interface Use {
        String of(List<String> printed) throws Exception;
    }

    /** Runs ExecStart of the unit as its user in its directory with a read-only root, and stops it with SIGTERM. */
    private static String run(Use use) throws Exception {
        String unit = Files.readString(root.resolve(UNIT));
        assertThat(setting(unit, "ProtectSystem")).containsExactly("strict");
        assertThat(setting(unit, "StateDirectory")).containsExactly("plumbline");
        assertThat(setting(unit, "PrivateTmp")).containsExactly("yes");
        List<String> command = enter(
                setting(unit, "User").get(0),
                "mount --bind \"$1/var/lib/plumbline\" \"$1/var/lib/plumbline\"; mount -t tmpfs tmpfs \"$1/tmp\";"
                        + " mount -o remount,bind,ro \"$1\";");
        command.addAll(
                List.of("env", "-i", "-C", setting(unit, "WorkingDirectory").get(0)));
        command.add("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin");
        command.addAll(setting(unit, "Environment"));
        command.addAll(Files.readAllLines(root.resolve("etc/plumbline/environment")));
        command.addAll(List.of(
                "sh", "-c", "umask \"$0\"; exec \"$@\"", setting(unit, "UMask").get(0)));
        command.addAll(List.of(setting(unit, "ExecStart").get(0).split(" ", -1)));
        Path log = directory.resolve("service.log");
        Process service = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                .start();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(service.getInputStream(), StandardCharsets.UTF_8))) {
            List<String> printed = new ArrayList<>();
            for (String line = out.readLine(); line == null || !line.startsWith("ready "); line = out.readLine()) {
                assertThat(line).as(Files.readString(log)).isNotNull();
                printed.add(line);
            }
            String result = use.of(printed);
            service.destroy();
            assertThat(service.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(service.exitValue()).isZero();
            return result;
        } finally {
            service.destroyForcibly();
        }
    }

    private static List<String> setting(String unit, String name) {
        return Pattern.compile("(?m)^" + name + "=(.+)$")
                .matcher(unit)
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    private static String value(List<String> printed, String name) {
        Matcher matcher = Pattern.compile("(?m)^" + name + " (\\S+)").matcher(String.join("\n", printed));
        assertThat(matcher.find()).as("%s in %s", name, printed).isTrue();
        return matcher.group(1);
    }

    private String check() throws Exception {
        return get(
                        "/api/v1/instant/http-status/http%3A%2F%2F127.0.0.1%3A"
                                + target.getAddress().getPort() + "%2F",
                        "")
                .body();
    }

    private HttpResponse<String> get(String path, String key) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
        if (!key.isEmpty()) {
            request.header("X-Api-Key", key);
        }
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }
}
