package org.slipstream.server.daily;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slipstream.admin.operations.Operations.TroubleView;
import org.slipstream.auth.aggregate.JudgedMessage;
import org.slipstream.auth.report.ReportFile;
import org.slipstream.auth.report.ReportSource;
import org.slipstream.auth.tlsreport.TlsOutcome;
import org.slipstream.config.DailyReportSettings;
import org.slipstream.core.Address;
import org.slipstream.core.Envelope;
import org.slipstream.core.FailureWords;
import org.slipstream.core.LogText;
import org.slipstream.core.dns.DnsLookup;
import org.slipstream.core.queue.MessageSummary;
import org.slipstream.server.daily.DailyForm.Places;
import org.slipstream.server.daily.DayCounts.DomainDay;
import org.slipstream.server.daily.DayCounts.Tally;
import org.slipstream.server.report.Contact;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Gathers what the daily reports tell, and sends them.
///
/// ```
/// verdict, session → DayCounts (memory) → every 5 minutes: <home>/reports/<day>.<kind>/<domain>.xml.gz
///                                       → after midnight: mail in the spool, and the file is deleted
/// ```
///
/// **A file is the report as it will be sent**, so a restart has nothing to restore, and an operator can
/// read it with `mta dmarc report` and `mta tlsrpt report`. A process that is killed loses the rows of
/// five minutes at most; an orderly stop loses none.
///
/// **Mail never waits for a report.** Counting is a few operations in memory, and every failure here is
/// told in the log and nothing else. Mail is in the spool before its file is deleted, so that after a
/// crash a report may be sent twice, with the same id, and none is lost.
///
/// Reports of a day are sent from ten minutes after midnight (UTC) on, each server at a time of its own
/// within four hours (RFC 8460 section 4.1), [#MOST_AT_ONCE] in five minutes. When DNS does not answer,
/// or the spool is full, the file waits an hour; after [#MOST_DAYS] days it is deleted.
///
/// **A report about a report** would go on indefinitely between two servers. So the sessions that deliver TLS
/// reports are not counted (RFC 8460 section 3): after a report to a domain, as many sessions to it are
/// passed over.
public final class DailyReports implements AutoCloseable {
    static final Duration PERIOD = Duration.ofMinutes(5);
    static final int MOST_AT_ONCE = 100;
    static final int MOST_DAYS = 2;
    /// Of a day and kind.
    static final int MOST_FILES = 2_000;
    static final long MOST_OCTETS = 256L << 20;
    private static final Duration FIRST = Duration.ofMinutes(10);
    private static final int SPREAD_SECONDS = 4 * 60 * 60;
    private static final Duration LATER = Duration.ofHours(1);
    private static final int MOST_PLACES = 5;
    /// A file has the name of the domain; longer ones fit no file system.
    private static final int LONGEST_DOMAIN = 200;
    private static final Pattern DOMAIN = Pattern.compile("[a-z0-9_-]++(?:\\.[a-z0-9_-]++)*+");
    private static final Pattern FOLDER = Pattern.compile("([0-9]{4}-[0-9]{2}-[0-9]{2})\\.([a-z]+)");
    private static final Logger log = LoggerFactory.getLogger(DailyReports.class);

    private final Path folder;
    private final Supplier<DailyParts> around;
    private final InstantSource clock;
    private final Kind<JudgedMessage> dmarc = new Kind<>(new DmarcForm());
    private final Kind<TlsOutcome> tls = new Kind<>(new TlsForm());
    private final Map<Path, Instant> later = new HashMap<>();
    private volatile Optional<TroubleView> waiting = Optional.empty();
    private final CountDownLatch closing = new CountDownLatch(1);
    private Optional<Thread> thread = Optional.empty();

    /// The parts of the server that a report needs.
    ///
    /// @param contact by the reader of a report
    /// @param post to web pages
    public record DailyParts(String hostname, DailyReportSettings settings, Contact contact, DnsLookup dns,
            MailSink sink, ReportPost post) {}

    /// Commits a message of this server to the spool and announces its arrival.
    @FunctionalInterface
    public interface MailSink {
        MessageSummary submit(Envelope envelope, byte[] content) throws IOException;
    }

    private record Kind<R>(DailyForm<R> form, DayCounts<R> counts) {
        Kind(DailyForm<R> form) {
            this(form, new DayCounts<>(form::weight));
        }
    }

    /// The files of a day and kind.
    private record DayRoom(int files, long octets) {
        static DayRoom of(Path day) throws IOException {
            int files = 0;
            long octets = 0;
            for (Path each : Files.isDirectory(day) ? list(day) : List.<Path>of()) {
                files++;
                octets += Files.size(each);
            }
            return new DayRoom(files, octets);
        }

        boolean isFull() {
            return files >= MOST_FILES || octets >= MOST_OCTETS;
        }
    }

    /// @param around of the settings in force
    public DailyReports(Path folder, Supplier<DailyParts> around, InstantSource clock) {
        this.folder = folder;
        this.around = around;
        this.clock = clock;
    }

    // ---- counting, by any thread

    public void judged(JudgedMessage message) {
        if (around.get().settings().dmarc()) {
            count(dmarc, message.policy().domain(), message);
        }
    }

    public void ended(TlsOutcome session) {
        if (around.get().settings().tls()) {
            count(tls, session.policy().domain(), session.counted());
        }
    }

    private <R> void count(Kind<R> kind, String domain, R row) {
        if (domain.length() <= LONGEST_DOMAIN && DOMAIN.matcher(domain).matches()) {
            kind.counts().add(new DomainDay(domain, today()), row, 1);
        }
    }

    private LocalDate today() {
        return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
    }

    // ---- the thread

    public DailyReports start() {
        thread = Optional.of(Thread.ofPlatform().name("daily-reports").daemon().start(this::run));
        return this;
    }

    private void run() {
        try {
            while (!closing.await(PERIOD.toMillis(), TimeUnit.MILLISECONDS)) {
                period();
            }
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    /// One period has passed.
    public void period() {
        try {
            flush(dmarc);
            flush(tls);
            send();
        } catch (RuntimeException | StackOverflowError failed) {
            log.error("event=daily-reports-failed next=\"tried again in {} minutes\" error=\"{}\"",
                    PERIOD.toMinutes(), LogText.text(FailureWords.of(failed)), failed);
        }
    }

    /// Writes what is in memory.
    @Override
    public void close() {
        closing.countDown();
        thread.ifPresent(each -> {
            try {
                each.join(PERIOD.toMillis() / 300);
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        });
        flush(dmarc);
        flush(tls);
    }

    // ---- on disk

    /// Writes to the folders of this day, or before the first sending to those of the last one.
    private synchronized <R> void flush(Kind<R> kind) {
        DayCounts.Taken<R> taken = kind.counts().take();
        long lost = taken.lost();
        Map<Path, DayRoom> rooms = new HashMap<>();
        for (Map.Entry<DomainDay, Tally<R>> each : taken.tallies().entrySet()) {
            try {
                lost += add(kind.form(), each.getKey(), each.getValue(), rooms);
            } catch (IOException unwritten) {
                kind.counts().restore(each.getKey(), each.getValue());
                log.warn(
                        "event=daily-report-not-kept kind={} domain={} next=\"tried again in {} minutes\" error=\"{}\"",
                        kind.form().name(), LogText.text(each.getKey().domain()), PERIOD.toMinutes(),
                        LogText.text(FailureWords.of(unwritten)));
            }
        }
        if (lost > 0) {
            log.warn("event=daily-report-bound kind={} count={} reason=\"more domains, rows or octets than a day may"
                    + " have; no row of a report has these\"", kind.form().name(), lost);
        }
    }

    /// @return number of rows that found no place
    private <R> long add(DailyForm<R> form, DomainDay place, Tally<R> tally, Map<Path, DayRoom> rooms)
            throws IOException {
        long all = tally.rows().values().stream().mapToLong(Long::longValue).sum() + tally.others();
        if (tally.rows().isEmpty()) {
            return all;
        }
        Path day = folder.resolve(place.day() + "." + form.name());
        Path file = day.resolve(place.domain() + "." + form.extension());
        Optional<byte[]> before = read(form, file);
        if (!rooms.containsKey(day)) {
            rooms.put(day, DayRoom.of(day));
        }
        DayRoom room = Objects.requireNonNull(rooms.get(day));
        if (before.isEmpty() && room.isFull()) {
            return all;
        }
        Files.createDirectories(day);
        byte[] report = form.with(before, fresh(form, place), tally.rows(), tally.others());
        Path written = day.resolve(place.domain() + ".new");
        Files.write(written, report);
        Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        rooms.put(day, new DayRoom(room.files() + (before.isEmpty() ? 1 : 0),
                room.octets() + report.length - before.map(each -> each.length).orElse(0)));
        return tally.others();
    }

    private ReportSource fresh(DailyForm<?> form, DomainDay place) {
        DailyParts now = around.get();
        Instant begin = place.day().atStartOfDay(ZoneOffset.UTC).toInstant();
        return new ReportSource(now.hostname(), contact(now).toString(),
                place.day() + "." + form.name() + "." + place.domain() + "@" + now.hostname(), begin,
                begin.plus(Duration.ofDays(1)).minusSeconds(1), Optional.empty());
    }

    /// A reader elsewhere gets an address that means this server everywhere.
    private static Address contact(DailyParts now) {
        return now.contact().apply(now.contact().configured());
    }

    /// The file of a report, or empty for none. A damaged one is set aside.
    private Optional<byte[]> read(DailyForm<?> form, Path file) throws IOException {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        byte[] octets;
        try (InputStream in = Files.newInputStream(file)) {
            octets = in.readNBytes(ReportFile.MOST_OCTETS);
        }
        try {
            form.source(octets);
            return Optional.of(octets);
        } catch (IOException | RuntimeException damaged) {
            log.warn("event=daily-report-damaged file={} next=\"it is set aside, and a new one begins\" error=\"{}\"",
                    LogText.text(file.toString()), LogText.text(FailureWords.of(damaged)));
            Files.move(file, Path.of(file + ".damaged"), StandardCopyOption.REPLACE_EXISTING);
            return Optional.empty();
        }
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().limit(2L * MOST_FILES).toList();
        }
    }

    // ---- sending

    /// The time after midnight, which each server has for itself.
    static Duration spread(String hostname) {
        return FIRST.plusSeconds(Math.floorMod(hostname.hashCode(), SPREAD_SECONDS));
    }

    private void send() {
        DailyParts now = around.get();
        LocalDate today = today();
        if (!Files.isDirectory(folder) || clock.instant()
                .isBefore(today.atStartOfDay(ZoneOffset.UTC).toInstant().plus(spread(now.hostname())))) {
            return;
        }
        try {
            int left = MOST_AT_ONCE;
            // A slow DNS must not keep the rows of this day in memory.
            Instant end = clock.instant().plus(PERIOD);
            for (Path day : list(folder)) {
                left -= send(now, day, today, left, end);
            }
            later.keySet().removeIf(file -> !Files.exists(file));
            if (later.isEmpty()) {
                waiting = Optional.empty();
            }
        } catch (IOException unreadable) {
            log.warn("event=daily-reports-not-read file={} error=\"{}\"", LogText.text(folder.toString()),
                    LogText.text(FailureWords.of(unreadable)));
        }
    }

    /// @return how many reports were looked at
    private int send(DailyParts now, Path day, LocalDate today, int most, Instant end) {
        Matcher name = FOLDER.matcher(Objects.toString(day.getFileName()));
        if (!name.matches()) {
            return 0;
        }
        DailyForm<?> form = name.group(2).equals(tls.form().name()) ? tls.form() : dmarc.form();
        try {
            LocalDate date = LocalDate.parse(name.group(1));
            if (date.isBefore(today.minusDays(MOST_DAYS))) {
                expire(day);
            } else if (date.isBefore(today)
                    && (form == tls.form() ? now.settings().tls() : now.settings().dmarc())) {
                return send(now, form, day, most, end);
            }
        } catch (IOException | DateTimeException unreadable) {
            log.warn("event=daily-reports-not-read file={} error=\"{}\"", LogText.text(day.toString()),
                    LogText.text(FailureWords.of(unreadable)));
        }
        return 0;
    }

    private void expire(Path day) throws IOException {
        List<Path> files = list(day);
        log.warn("event=daily-reports-expired file={} count={}", LogText.text(day.toString()), files.size());
        delete(day);
    }

    private void delete(Path day) throws IOException {
        for (Path each : list(day)) {
            Files.delete(each);
            later.remove(each);
        }
        Files.delete(day);
    }

    /// @return how many were looked at
    private int send(DailyParts now, DailyForm<?> form, Path day, int most, Instant end) throws IOException {
        String ending = "." + form.extension();
        int tried = 0;
        boolean isDone = true;
        for (Path file : list(day)) {
            String name = Objects.toString(file.getFileName());
            if (!name.endsWith(ending)) {
                continue;
            }
            isDone = false;
            if (tried < most && closing.getCount() > 0 && clock.instant().isBefore(end)
                    && !later.getOrDefault(file, Instant.EPOCH).isAfter(clock.instant())) {
                tried++;
                later.put(file, clock.instant().plus(LATER));
                send(now, form, file, name.substring(0, name.length() - ending.length()));
            }
        }
        if (isDone) {
            delete(day);
        }
        return tried;
    }

    private void send(DailyParts now, DailyForm<?> form, Path file, String domain) {
        try {
            Optional<byte[]> report = read(form, file);
            if (report.isEmpty()) {
                return;
            }
            switch (form.places(now.dns(), domain)) {
                case Places.Mailboxes(List<Address> all) -> {
                    List<Address> places = all.stream().filter(each -> !each.isInternational())
                            .limit(MOST_PLACES).toList();
                    if (places.isEmpty()) {
                        throw new IOException("all its addresses are international");
                    }
                    submit(now, form, domain, report.get(), places);
                    done(file);
                }
                case Places.Pages(List<URI> pages) -> {
                    URI page = now.post().send(now.dns(), pages, form.mail(domain, "").fileType(), report.get());
                    log.info("event=daily-report-posted kind={} domain={} url={}", form.name(), domain,
                            LogText.text(page.toString()));
                    done(file);
                }
                case Places.None(String reason) -> {
                    log.info("event=daily-report-skipped kind={} domain={} reason=\"{}\"", form.name(), domain,
                            LogText.text(reason));
                    done(file);
                }
                case Places.Unknown(String reason) -> {
                    log.info("event=daily-report-waits kind={} domain={} reason=\"{}\"", form.name(), domain,
                            LogText.text(reason));
                    waits(domain, reason);
                }
            }
        } catch (IOException failed) {
            log.warn("event=daily-report-not-sent kind={} domain={} next=\"tried again in an hour\" error=\"{}\"",
                    form.name(), domain, LogText.text(FailureWords.of(failed)));
            waits(domain, FailureWords.of(failed));
        }
    }

    private void waits(String domain, String reason) {
        String since = waiting.map(TroubleView::since).orElseGet(() -> clock.instant().toString());
        waiting = Optional.of(new TroubleView("reports", since, "daily reports to other domains wait: " + later.size()
                + "; each is tried every hour, and deleted after " + MOST_DAYS + " days",
                "the last one, to " + domain + ": " + LogText.text(reason)));
    }

    /// Reports that could not be sent.
    public Optional<TroubleView> trouble() {
        return waiting;
    }

    private void submit(DailyParts now, DailyForm<?> form, String domain, byte[] report, List<Address> places)
            throws IOException {
        Address contact = contact(now);
        DailyMail mail = new DailyMail(contact, places, domain, form.source(report),
                form.mail(domain, contact.domainKey()), form.extension(), report);
        MessageSummary sent = now.sink().submit(mail.envelope(), mail.content(clock.instant()));
        log.info("event=daily-report-queued kind={} domain={} report={} recipient={} count={}", form.name(), domain,
                sent.id(), LogText.path(places.getFirst()), places.size());
    }

    private void done(Path file) throws IOException {
        Files.delete(file);
        later.remove(file);
    }
}
