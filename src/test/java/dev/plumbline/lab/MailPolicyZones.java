package dev.plumbline.lab;

import java.util.List;
import java.util.Map;

/** Names of the DNS lab with the records of DKIM, TLSRPT, MTA-STS and BIMI, and the policies and logos. */
final class MailPolicyZones {
    /** The policy hosts. The lab serves their policies on port 443 if its HTTPS server uses that port. */
    static final List<String> POLICY_HOSTS =
            List.of("mta-sts.sts.lab.test", "mta-sts.sts-moved.lab.test", "mta-sts.sts-page.lab.test");

    /** The Ed25519 key of RFC 8463 appendix A.2. */
    private static final String KEY = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";

    private MailPolicyZones() {}

    static List<LabPage> pages() {
        return List.of(
                logo("/bimi/logo.svg", "0 0 1 1", "<rect width='1' height='1'/>"),
                logo("/bimi/wide.svg", "0 0 2 1", "<rect width='2' height='1'/>"),
                logo("/bimi/script.svg", "0 0 1 1", "<script>alert(1)</script>"),
                new LabPage("/.well-known/mta-sts.txt", "200; an MTA-STS policy", c -> {
                    String host = c.header("host");
                    String policy = "version: STSv1\r\nmode: enforce\r\nmx: mail.sts.lab.test\r\nmax_age: 604800\r\n";
                    if (host.startsWith(POLICY_HOSTS.get(1))) {
                        c.respond(301, "location: http://" + c.lab().canary().authority() + "/\r\n", "");
                    } else if (host.startsWith(POLICY_HOSTS.get(2))) {
                        c.respond(200, "content-type: text/html\r\n", "<title>Welcome</title>");
                    } else {
                        c.respond(200, "content-type: text/plain\r\n", policy);
                    }
                }));
    }

    private static LabPage logo(String path, String viewBox, String content) {
        String svg =
                "<svg xmlns='http://www.w3.org/2000/svg' version='1.2' baseProfile='tiny-ps' viewBox='%s'>%s%s</svg>"
                        .formatted(viewBox, "<title>Lab</title>", content);
        return new LabPage(path, "200; a logo", c -> c.respond(200, "content-type: image/svg+xml\r\n", svg));
    }

    /** @param web the origin of the HTTPS server */
    static void fill(DnsLab dns, String web) {
        Map.of("policies", "logo", "badpolicies", "script", "sts", "wide")
                .forEach((name, logo) -> dns.record("_dmarc." + name + ".lab.test. 300 IN TXT \"v=DMARC1\\; p=reject\"")
                        .record("default._bimi." + name + ".lab.test. 300 IN TXT \"v=BIMI1\\; l=" + web + "/bimi/"
                                + logo + ".svg\""));
        for (String domain : List.of("policies.lab.test", "nopolicies.lab.test", "badpolicies.lab.test")) {
            dns.address(domain, "127.0.0.1").record(domain + ". 300 IN MX 10 mail." + domain + ".");
        }
        for (String host : POLICY_HOSTS) {
            String domain = host.substring(host.indexOf('.') + 1);
            dns.address(host, "127.0.0.1")
                    .address(domain, "127.0.0.1")
                    .record(domain + ". 300 IN MX 10 mail.sts.lab.test.")
                    .record("_mta-sts." + domain + ". 300 IN TXT \"v=STSv1\\; id=1\"");
        }
        dns.record("google._domainkey.policies.lab.test. 300 IN TXT \"v=DKIM1\\; k=ed25519\\; p=" + KEY + "\"")
                .record("google._domainkey.badpolicies.lab.test. 300 IN TXT \"v=DKIM1\\; k=rsa\\; p=" + KEY + "\"");
        dns.record("_smtp._tls.policies.lab.test. 300 IN TXT \"v=TLSRPTv1\\; rua=mailto:tls@policies.lab.test\"")
                .record("nomail.lab.test. 300 IN MX 0 .")
                .record("_mta-sts.badpolicies.lab.test. 300 IN TXT \"v=STSv1\\; id=1\"")
                .record("_mta-sts.badpolicies.lab.test. 300 IN TXT \"v=STSv1\\; id=2\"")
                .record("_smtp._tls.badpolicies.lab.test. 300 IN TXT \"v=TLSRPTv1\\; rua=tls@policies.lab.test\"");
    }

    /** The expected results. */
    static List<LabTarget> targets() {
        return List.of(
                new LabTarget("tls-rpt", "policies.lab.test", "verdict=pass"),
                new LabTarget("tls-rpt", "nopolicies.lab.test", "verdict=warn; no record"),
                new LabTarget("tls-rpt", "badpolicies.lab.test", "verdict=fail; the address is not a URI"),
                new LabTarget("dkim", "policies.lab.test", "verdict=pass; an Ed25519 key"),
                new LabTarget("dkim", "nopolicies.lab.test", "verdict=warn; no key"),
                new LabTarget("dkim", "badpolicies.lab.test", "verdict=fail; not an RSA key"),
                new LabTarget("mta-sts", "nomail.lab.test", "verdict=pass; the domain does not accept mail"),
                new LabTarget("mta-sts", "nopolicies.lab.test", "verdict=warn; no record"),
                new LabTarget("mta-sts", "badpolicies.lab.test", "verdict=fail; several records"),
                new LabTarget("bimi", "policies.lab.test", "verdict=pass; a logo without mark certificate"),
                new LabTarget("bimi", "nopolicies.lab.test", "verdict=pass; no record"),
                new LabTarget("bimi", "sts.lab.test", "verdict=warn; the logo is not a square"),
                new LabTarget("bimi", "badpolicies.lab.test", "verdict=fail; a logo with a script"));
    }
}
