package org.slipstream.cli;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slipstream.cli.frame.Exit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;

import static org.assertj.core.api.Assertions.assertThat;

/// `mta dmarc report` and `mta tlsrpt report`, without a server.
class DmarcCommandsTest {
    private static final byte[] REPORT = """
            <?xml version="1.0"?>
            <feedback>
              <report_metadata><org_name>Mail Inc.</org_name><date_range><begin>1764115200</begin>
                <end>1764201599</end></date_range></report_metadata>
              <policy_published><domain>example.org</domain><p>none</p></policy_published>
              <record>
                <row><source_ip>192.0.2.1</source_ip><count>5</count>
                  <policy_evaluated><disposition>none</disposition><dkim>fail</dkim><spf>fail</spf></policy_evaluated>
                </row>
                <identifiers><header_from>example.org</header_from></identifiers>
                <auth_results><dkim><domain>esp.example</domain><result>pass</result></dkim>
                  <spf><domain>bounce.esp.example</domain><result>pass</result></spf></auth_results>
              </record>
            </feedback>
            """.getBytes(StandardCharsets.UTF_8);

    @TempDir
    Path home;

    @Test
    void aReportInWords() throws IOException {
        var file = Files.write(home.resolve("r.xml"), REPORT);
        var ran = new Console(home).run("dmarc", "report", file.toString());
        assertThat(ran.err()).isEmpty();
        assertThat(ran.exit()).isZero();
        assertThat(ran.out().lines()).containsExactly(
                "Mail Inc. reports about example.org, from 2025-11-26 00:00 to 2025-11-26 23:59 UTC",
                "the policy is p=none", "5 messages: 0 pass, 5 fail",
                "  5  192.0.2.1 as example.org: signed by esp.example, which is another domain; SPF passes for"
                        + " bounce.esp.example, which is another domain; delivered",
                "find out for each source whether it sends for you: if so, let it sign with d=example.org or put it"
                        + " into the SPF record; if not, the policy is what stops it");
    }

    @Test
    void aReportAsJson() {
        var console = new Console(home);
        console.input = REPORT;
        assertThat(console.run("dmarc", "report", "-", "--json").out()).startsWith("{\"domain\":\"example.org\","
                + "\"policy\":\"none\",\"reporter\":\"Mail Inc.\",\"begin\":\"2025-11-26T00:00:00Z\"")
                .contains("\"messages\":5,\"passed\":0,", "\"source\":\"192.0.2.1\"", "\"count\":5");
    }

    @Test
    void aPackedReportOnStandardInput() throws IOException {
        var packed = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(packed)) {
            gzip.write(REPORT);
        }
        var console = new Console(home);
        console.input = packed.toByteArray();
        assertThat(console.run("dmarc", "report", "-").out()).contains("5 messages");
    }

    @Test
    void otherFilesAreRefusedWithASentence() throws IOException {
        var file = Files.writeString(home.resolve("r.xml"), "<!DOCTYPE x SYSTEM \"file:///etc/passwd\"><x/>");
        var ran = new Console(home).run("dmarc", "report", file.toString());
        assertThat(ran.exit()).isEqualTo(Exit.NO);
        assertThat(ran.err().lines()).singleElement().asString().startsWith("mta: " + file + ": the file is no report");
        assertThat(new Console(home).run("dmarc", "report", home.resolve("none").toString()).exit()).isEqualTo(Exit.NO);
        assertThat(new Console(home).run("dmarc", "report").exit()).isEqualTo(Exit.USAGE);
        assertThat(new Console(home).run("dmarc").exit()).isEqualTo(Exit.USAGE);
    }

    @Test
    void aFileThatIsTooLongIsNotRead() {
        var console = new Console(home);
        console.input = new byte[(32 << 20) + 1];
        for (String kind : List.of("dmarc", "tlsrpt")) {
            assertThat(console.run(kind, "report", "-").err()).contains("has more than 32 MiB");
        }
    }

    private static final byte[] TLS_REPORT = """
            {"organization-name": "Mail Inc.", "contact-info": "a@mail.example", "report-id": "7",
             "date-range": {"start-datetime": "2026-11-26T00:00:00Z", "end-datetime": "2026-11-26T23:59:59Z"},
             "policies": [{"policy": {"policy-type": "tlsa", "policy-domain": "example.org"},
              "summary": {"total-successful-session-count": 4, "total-failure-session-count": 2},
              "failure-details": [{"result-type": "tlsa-invalid", "receiving-mx-hostname": "mx.example.org",
               "failed-session-count": 2}]}]}
            """.getBytes(StandardCharsets.UTF_8);

    @Test
    void aTlsReportInWordsAndAsJson() {
        var console = new Console(home);
        console.input = TLS_REPORT;
        assertThat(console.run("tlsrpt", "report", "-").out().lines()).containsExactly(
                "Mail Inc. reports about example.org, from 2026-11-26 00:00 to 2026-11-26 23:59 UTC",
                "under the TLSA records of DANE: 6 sessions, 4 good, 2 failed",
                "  2  mx.example.org: the TLSA records do not fit the certificate; renew them with it",
                "correct what the lines name; the certificate and the records are yours, the sender can only tell");
        console.input = TLS_REPORT;
        assertThat(console.run("tlsrpt", "report", "-", "--json").out()).startsWith("{\"domain\":\"example.org\","
                + "\"reporter\":\"Mail Inc.\"").contains("\"succeeded\":4,\"failed\":2", "\"type\":\"tlsa\"");
        console.input = REPORT;
        assertThat(console.run("tlsrpt", "report", "-").exit()).isEqualTo(Exit.NO);
        console.input = TLS_REPORT;
        assertThat(console.run("dmarc", "report", "-").exit()).isEqualTo(Exit.NO);
    }
}
