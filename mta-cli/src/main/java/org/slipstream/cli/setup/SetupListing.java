package org.slipstream.cli.setup;

import org.slipstream.core.SettingsRecords;
import org.slipstream.core.dns.AddressText;
import org.slipstream.guard.zone.DomainQuestion;
import org.slipstream.guard.zone.WantedRecord;
import org.slipstream.guard.zone.WantedRecord.Need;
import org.slipstream.guard.zone.WantedRecords;
import org.slipstream.guard.zone.WebFile;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// The records of a domain as a zone file. All that is no record for this zone is a comment, so the
/// whole text can be loaded.
///
/// @param folder of the files for a web server
/// @param met conditions of records, by their subject
record SetupListing(DomainQuestion asked, WantedRecords wanted, Path folder, List<String> met) {
    static final List<String> CONDITIONS = List.of("mta-sts", "autoconfig", "dane");

    record RecordLine(String subject, String need, String name, String type, String value, String line, String why) {}

    record FileLine(String file, String url, String text) {}

    record SetupView(String domain, String hostname, List<String> done, List<String> left, List<RecordLine> records,
            List<RecordLine> provider, List<FileLine> files) {}

    SetupView view(List<String> done, List<String> left) {
        return new SetupView(asked.domain(), asked.hostname(), done, left,
                wanted.all().stream().map(SetupListing::line).toList(),
                asked.addresses().stream().map(address -> line(wanted.reverse(address))).toList(),
                wanted.webFiles().stream()
                        .map(each -> new FileLine(folder.resolve(each.name()).toString(), each.url(), each.text()))
                        .toList());
    }

    private static RecordLine line(WantedRecord each) {
        return new RecordLine(each.subject(), SettingsRecords.word(each.need()), each.name(), each.type().name(),
                each.value(), each.line(), each.why());
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>(List.of("; The records of " + asked.domain()
                + " for mail. Comments begin with a semicolon."));
        wanted.all().forEach(record -> record(record, lines));
        for (InetAddress address : asked.addresses()) {
            lines.add("");
            lines.add("; The provider of the address " + AddressText.of(address) + " has to do two things:");
            lines.add("; - set its reverse name: " + wanted.reverse(address).line());
            lines.add("; - let port 25 through, in both directions; many do so on request only");
        }
        lines.add("");
        lines.add("; Files for a web server, which this server is not:");
        for (WebFile file : wanted.webFiles()) {
            lines.add("; - " + folder.resolve(file.name()) + " at " + file.url());
        }
        return lines;
    }

    private void record(WantedRecord record, List<String> lines) {
        boolean isMet = record.need() != Need.CONDITIONAL || met.contains(record.subject());
        boolean isOurs = record.isIn(asked.domain());
        lines.add("");
        lines.add("; " + (isMet ? "" : "only if ") + record.why()
                + (isOurs ? "" : "; it belongs into the zone of " + record.name()));
        lines.add((isMet && isOurs ? "" : ";") + record.line());
    }
}
