package dev.plumbline.lab;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.x509.CRLReason;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.ExtensionsGenerator;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.X509v2CRLBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509v2CRLBuilder;
import org.bouncycastle.cert.ocsp.BasicOCSPRespBuilder;
import org.bouncycastle.cert.ocsp.CertificateID;
import org.bouncycastle.cert.ocsp.CertificateStatus;
import org.bouncycastle.cert.ocsp.OCSPException;
import org.bouncycastle.cert.ocsp.OCSPReq;
import org.bouncycastle.cert.ocsp.OCSPRespBuilder;
import org.bouncycastle.cert.ocsp.RevokedStatus;
import org.bouncycastle.cert.ocsp.UnknownStatus;
import org.bouncycastle.cert.ocsp.jcajce.JcaBasicOCSPRespBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;
import org.jspecify.annotations.Nullable;

/** An HTTP server for OCSP responses and CRLs. */
public final class RevocationLab implements AutoCloseable {
    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(2);
    private final Map<String, Supplier<byte[]>> documents = new ConcurrentHashMap<>();
    private final Set<String> onlyByPost = ConcurrentHashMap.newKeySet();
    private final AtomicInteger requestCount = new AtomicInteger();

    public RevocationLab() {
        this(0);
    }

    /** @param port 0: a free port */
    RevocationLab(int port) {
        try {
            server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 16);
        } catch (IOException unusable) {
            throw new UncheckedIOException(unusable);
        }
        server.setExecutor(threads);
        server.createContext("/", this::respond);
        server.start();
    }

    /** The URL of a document. */
    public String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    /** Adds a document. The supplier creates it for each request. */
    public void put(String path, Supplier<byte[]> document) {
        documents.put(path, document);
    }

    /** Adds a document for POST requests only. */
    public void putPostOnly(String path, Supplier<byte[]> document) {
        onlyByPost.add(path);
        put(path, document);
    }

    /** The number of received requests. */
    public int requestCount() {
        return requestCount.get();
    }

    private void respond(HttpExchange exchange) throws IOException {
        requestCount.incrementAndGet();
        String path = exchange.getRequestURI().getPath();
        Supplier<byte[]> document = null;
        for (Map.Entry<String, Supplier<byte[]>> entry : documents.entrySet()) {
            // OCSP with GET appends the request to the path (RFC 6960 appendix A.1)
            if (path.equals(entry.getKey()) || path.startsWith(entry.getKey() + "/")) {
                document = entry.getValue();
            }
        }
        try (exchange) {
            byte[] request = exchange.getRequestBody().readAllBytes();
            if (onlyByPost.contains(path.replaceFirst("(/[^/]*).*", "$1")) && !isOcspPost(exchange, request)) {
                exchange.sendResponseHeaders(405, -1);
                return;
            }
            if (document == null) {
                exchange.sendResponseHeaders(404, -1);
                return;
            }
            byte[] bytes = document.get();
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private static boolean isOcspPost(HttpExchange exchange, byte[] request) throws IOException {
        return exchange.getRequestMethod().equals("POST")
                && "application/ocsp-request"
                        .equals(exchange.getRequestHeaders().getFirst("Content-Type"))
                && new OCSPReq(request).getRequestList().length == 1;
    }

    /** The certificate status in an OCSP response. */
    public enum Status {
        GOOD,
        REVOKED,
        UNKNOWN
    }

    /** An OCSP response that is valid for one day. */
    public static byte[] ocsp(TestCa issuer, X509Certificate certificate, Status status) {
        return ocsp(issuer, issuer, certificate, status, Instant.now().minusSeconds(60), 0);
    }

    /**
     * @param signer CA that signs the response; the signature is invalid unless it is the issuer
     * @param thisUpdate start of the validity of one day
     * @param timestamps number of signed certificate timestamps
     */
    public static byte[] ocsp(
            TestCa issuer,
            TestCa signer,
            X509Certificate certificate,
            Status status,
            Instant thisUpdate,
            int timestamps) {
        try {
            X509CertificateHolder holder = new JcaX509CertificateHolder(issuer.certificate());
            var digests = new JcaDigestCalculatorProviderBuilder().build();
            BasicOCSPRespBuilder builder = new JcaBasicOCSPRespBuilder(
                    signer.certificate().getPublicKey(), digests.get(CertificateID.HASH_SHA1));
            ExtensionsGenerator extensions = new ExtensionsGenerator();
            if (timestamps > 0) {
                extensions.addExtension(
                        new ASN1ObjectIdentifier("1.3.6.1.4.1.11129.2.4.5"),
                        false,
                        CertificateSpec.timestampList(timestamps));
            }
            builder.addResponse(
                    new CertificateID(digests.get(CertificateID.HASH_SHA1), holder, certificate.getSerialNumber()),
                    switch (status) {
                        case GOOD -> CertificateStatus.GOOD;
                        case REVOKED -> new RevokedStatus(Date.from(thisUpdate), CRLReason.keyCompromise);
                        case UNKNOWN -> new UnknownStatus();
                    },
                    Date.from(thisUpdate),
                    Date.from(thisUpdate.plus(Duration.ofDays(1))),
                    timestamps > 0 ? extensions.generate() : null);
            return new OCSPRespBuilder()
                    .build(
                            OCSPRespBuilder.SUCCESSFUL,
                            builder.build(
                                    new JcaContentSignerBuilder("SHA256withECDSA").build(signer.key()),
                                    new X509CertificateHolder[0],
                                    Date.from(thisUpdate)))
                    .getEncoded();
        } catch (GeneralSecurityException | OperatorCreationException | OCSPException | IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** A CRL with these serial numbers, valid for one day. */
    public static byte[] list(TestCa issuer, BigInteger... revoked) {
        return list(issuer, Instant.now().minusSeconds(60), revoked);
    }

    public static byte[] list(TestCa issuer, Instant thisUpdate, BigInteger... revoked) {
        return list(issuer, thisUpdate, null, null, revoked);
    }

    /**
     * A CRL with an additional critical extension.
     *
     * @param oid null: no additional extension
     */
    public static byte[] list(
            TestCa issuer,
            Instant thisUpdate,
            @Nullable ASN1ObjectIdentifier oid,
            @Nullable ASN1Encodable value,
            BigInteger... revoked) {
        try {
            X509v2CRLBuilder builder = new JcaX509v2CRLBuilder(issuer.certificate(), Date.from(thisUpdate));
            builder.setNextUpdate(Date.from(thisUpdate.plus(Duration.ofDays(1))));
            builder.addExtension(Extension.cRLNumber, false, new org.bouncycastle.asn1.x509.CRLNumber(BigInteger.ONE));
            if (oid != null) {
                builder.addExtension(oid, true, value);
            }
            for (BigInteger serial : revoked) {
                builder.addCRLEntry(serial, Date.from(thisUpdate), CRLReason.keyCompromise);
            }
            return builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(issuer.key()))
                    .getEncoded();
        } catch (OperatorCreationException | IOException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
