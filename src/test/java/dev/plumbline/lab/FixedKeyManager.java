package dev.plumbline.lab;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/** Sends one certificate list unchanged. A key store rejects lists that are not a valid chain. */
public final class FixedKeyManager extends X509ExtendedKeyManager {
    private static final String ALIAS = "only";

    private final TestCa.Identity identity;

    public FixedKeyManager(TestCa.Identity identity) {
        this.identity = identity;
    }

    private boolean supports(String type) {
        String algorithm = identity.key().getAlgorithm();
        return type.startsWith(algorithm) || (algorithm.startsWith("Ed") && type.startsWith("Ed"));
    }

    @Override
    public @Nullable String chooseEngineServerAlias(String type, Principal @Nullable [] issuers, SSLEngine engine) {
        return supports(type) ? ALIAS : null;
    }

    @Override
    public @Nullable String chooseServerAlias(String type, Principal @Nullable [] issuers, Socket socket) {
        return supports(type) ? ALIAS : null;
    }

    @Override
    public @Nullable String chooseClientAlias(String[] types, Principal @Nullable [] issuers, Socket socket) {
        return null;
    }

    @Override
    public String @Nullable [] getClientAliases(String type, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
        return supports(type) ? new String[] {ALIAS} : null;
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        return identity.chain().toArray(new X509Certificate[0]);
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        return identity.key();
    }
}
