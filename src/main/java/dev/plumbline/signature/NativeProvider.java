package dev.plumbline.signature;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.Provider;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Amazon Corretto Crypto Provider (AWS-LC), which verifies an ECDSA signature up to 30 times as fast as the JDK.
 * Not registered in the list of providers; {@link #of} returns it for supported keys. Each JAR contains the library of
 * one platform, so the JARs of all supported platforms are resources, and the one for this platform is loaded.
 */
final class NativeProvider {
    /** The name of a system property that disables the provider. */
    static final String DISABLED = "plumbline.native_signatures.disabled";

    private static final Logger LOG = LoggerFactory.getLogger(NativeProvider.class);
    private static final String CLASS = "com.amazon.corretto.crypto.provider.AmazonCorrettoCryptoProvider";
    private static final Map<String, String> PLATFORMS = Map.of("amd64", "linux-x86_64", "aarch64", "linux-aarch_64");
    private static final Set<Integer> CURVES = Set.of(256, 384, 521);
    private static final int RSA_MIN_BITS = 1024;
    private static final int RSA_MAX_BITS = 4096;
    private static final int RSA_EXPONENT_MAX_BITS = 33;

    /** Loaded at the first use, because that takes some tens of milliseconds. */
    private static final @Nullable Provider PROVIDER = load();

    private NativeProvider() {}

    /** The provider for signatures of a key; null if there is none. */
    static @Nullable Provider of(PublicKey key) {
        boolean supported = key instanceof ECPublicKey ec
                        && CURVES.contains(ec.getParams().getCurve().getField().getFieldSize())
                || key instanceof RSAPublicKey rsa
                        && rsa.getModulus().bitLength() >= RSA_MIN_BITS
                        && rsa.getModulus().bitLength() <= RSA_MAX_BITS
                        && rsa.getPublicExponent().bitLength() <= RSA_EXPONENT_MAX_BITS;
        return supported ? PROVIDER : null;
    }

    private static @Nullable Provider load() {
        String platform = PLATFORMS.get(System.getProperty("os.arch"));
        if (platform == null || !System.getProperty("os.name").equals("Linux") || Boolean.getBoolean(DISABLED)) {
            return null;
        }
        try {
            Provider provider = load("/native/AmazonCorrettoCryptoProvider-" + platform + ".jar");
            LOG.atDebug().addKeyValue("provider", provider).log("native signature provider loaded");
            return provider;
        } catch (IOException | ReflectiveOperationException | LinkageError | RuntimeException failure) {
            // the cause of a failed constructor has the reason
            Throwable cause = failure instanceof InvocationTargetException && failure.getCause() != null
                    ? failure.getCause()
                    : failure;
            LOG.atWarn().addKeyValue("cause", cause.toString()).log("native signature provider not loaded");
            return null;
        }
    }

    private static Provider load(String resource) throws IOException, ReflectiveOperationException {
        Path jar = Files.createTempFile("plumbline-signatures", ".jar");
        try (InputStream in = NativeProvider.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IOException(resource + " is missing from the class path");
            }
            Files.copy(in, jar, StandardCopyOption.REPLACE_EXISTING);
            // not closed: the provider loads further classes later
            URLClassLoader loader = new URLClassLoader(
                    "native-signatures", new URL[] {jar.toUri().toURL()}, NativeProvider.class.getClassLoader());
            Class<?> type = loader.loadClass(CLASS);
            Provider provider = (Provider) type.getField("INSTANCE").get(null);
            type.getMethod("assertHealthy").invoke(provider);
            return provider;
        } finally {
            // the file stays open
            Files.deleteIfExists(jar);
        }
    }
}
