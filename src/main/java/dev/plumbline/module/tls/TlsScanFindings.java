package dev.plumbline.module.tls;

import dev.plumbline.sheet.FindingCollector;
import java.util.List;

/** The findings of every module that scans the TLS versions and cipher suites of a server. */
public interface TlsScanFindings extends FindingCollector {
    void ssl3Enabled();

    void onlyLegacyVersions(List<String> versions);

    void tls10Enabled();

    void tls11Enabled();

    void tls13Missing();

    void noEncryption(List<String> ciphers);

    void noAuthentication(List<String> ciphers);

    void exportCipher(List<String> ciphers);

    void rc4Cipher(List<String> ciphers);

    void smallBlockCipher(List<String> ciphers);

    void dhPrimeBroken(int bits);

    void dhPrimeShort(int bits);

    void weakGroup(List<String> groups);

    void noForwardSecrecy(String cipher);

    void staticKeyExchange(String cipher);

    void noAuthenticatedEncryption(String cipher);

    void clientChoosesWeak();

    void secureRenegotiationMissing();

    void tlsCompression();

    void clientRenegotiationAccepted();

    void earlyDataEnabled();

    void extendedMasterSecretMissing();

    void brokenSignatureHash(String hash);

    void brokenSignatureHashAccepted(String hash);

    void featuresUnknown(List<String> features);

    void scanIncomplete(int count, List<String> versions);

    void connectionLimitReached(int count);
}
