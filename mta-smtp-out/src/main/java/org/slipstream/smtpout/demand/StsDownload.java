package org.slipstream.smtpout.demand;

import org.slipstream.auth.sts.StsPolicy;
import org.slipstream.auth.tlsreport.TlsResult;
import org.slipstream.core.FailureWords;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

/// Fetches the policy of a domain by HTTPS (RFC 8461 section 3.3): the certificate must be valid for the
/// name, redirections are not followed, and the whole has a limit in octets and in time, so a server that
/// sends one octet a second is a failed download.
public final class StsDownload {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Optional<SSLContext> authorities;
    private final UnaryOperator<URI> place;
    private final Duration timeout;
    private Optional<HttpClient> client = Optional.empty();

    /// The result of a download.
    public sealed interface Download {
        record Policy(StsPolicy policy) implements Download {}

        /// @param reason one line
        record Failed(TlsResult result, String reason) implements Download {}
    }

    /// @param authorities empty for those of the Java runtime
    /// @param place where the server of an address really is
    public StsDownload(Optional<SSLContext> authorities, UnaryOperator<URI> place, Duration timeout) {
        this.authorities = authorities;
        this.place = place;
        this.timeout = timeout;
    }

    public StsDownload() {
        this(Optional.empty(), UnaryOperator.identity(), TIMEOUT);
    }

    /// @param domain in ASCII
    public Download fetch(String domain) {
        URI address = URI.create("https://mta-sts." + domain + "/.well-known/mta-sts.txt");
        CompletableFuture<HttpResponse<byte[]>> answer = client().sendAsync(
                HttpRequest.newBuilder(place.apply(address)).timeout(timeout).header("Accept", "text/plain").build(),
                BodyHandlers.limiting(BodyHandlers.ofByteArray(), StsPolicy.MOST_OCTETS));
        try {
            return judged(answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS));
        } catch (TimeoutException _) {
            return failed(TlsResult.STS_POLICY_FETCH_ERROR, "no whole answer within " + timeout.toSeconds() + " s");
        } catch (ExecutionException e) {
            return failure(e.getCause() == null ? e : e.getCause());
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return failed(TlsResult.STS_POLICY_FETCH_ERROR, "the server stops");
        } finally {
            // Ends the exchange when it is still under way.
            answer.cancel(true);
        }
    }

    private static Download judged(HttpResponse<byte[]> answer) {
        if (answer.statusCode() != 200) {
            return failed(TlsResult.STS_POLICY_FETCH_ERROR, "the status is " + answer.statusCode() + ", not 200");
        }
        String type = answer.headers().firstValue("Content-Type").orElse("").toLowerCase(Locale.ROOT);
        if (!type.split(";", 2)[0].strip().equals("text/plain")) {
            return failed(TlsResult.STS_POLICY_FETCH_ERROR, "the type of the answer is not text/plain");
        }
        return switch (StsPolicy.read(answer.body())) {
            case StsPolicy.PolicyReading.Valid(StsPolicy policy) -> new Download.Policy(policy);
            case StsPolicy.PolicyReading.Invalid(String reason) -> failed(TlsResult.STS_POLICY_INVALID, reason);
        };
    }

    private static Download failure(Throwable cause) {
        return failed(cause instanceof SSLException ? TlsResult.STS_WEBPKI_INVALID : TlsResult.STS_POLICY_FETCH_ERROR,
                FailureWords.of(cause));
    }

    private static Download failed(TlsResult result, String reason) {
        return new Download.Failed(result, reason);
    }

    // Most servers never meet a domain with a policy. Then there is no client and none of its threads.
    private synchronized HttpClient client() {
        if (client.isEmpty()) {
            HttpClient.Builder builder = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1)
                    .followRedirects(HttpClient.Redirect.NEVER).connectTimeout(timeout);
            authorities.ifPresent(builder::sslContext);
            client = Optional.of(builder.build());
        }
        return client.get();
    }
}
