package org.slipstream.qmgr;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.core.Reply;
import org.slipstream.core.Route;
import org.slipstream.core.SenderTls;
import org.slipstream.core.queue.DeliveryResult;
import org.slipstream.qmgr.event.QmgrEvent;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.settings.QmgrConfig;

import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/// A source of connections that cannot be used is the fault of no host, no destination and no sender: its mail
/// gets another route at once.
class SourceTest {
    private static final String DOMAIN = "far.example";

    private final Story story = new Story(s -> s.lanes(1, 100));

    private static Route by(String source) {
        return ((Route.Smtp) Story.smtp(DOMAIN)).from(source);
    }

    @Test
    void eachSourceIsADestinationOfItsOwnWithTheSettingsOfItsDomain() {
        assertThat(by("a").nextHop()).isEqualTo("far.example/source-a");
        assertThat(by("a").source()).contains("a");
        assertThat(((Route.Smtp) by("a")).from("b")).isEqualTo(by("b"));
        assertThat(Route.shared(by("a").nextHop())).isEqualTo(DOMAIN);
        assertThat(Route.anySource("[relay]:25/verify/source-a")).isEqualTo("[relay]:25/verify");
        assertThat(new Route.Lmtp("unix:/run/source-a").source()).isEmpty();
    }

    @Test
    void messagesAreRoutedOneByOneWhereTheirSourceIsChosen() {
        QueueId id = new QueueId(4711);
        QmgrConfig usual = QmgrConfig.defaults();
        assertThat(usual.routeQuestion(DOMAIN, Optional.empty(), SenderTls.USUAL, id)).isEqualTo(DOMAIN);
        assertThat(usual.withRoutedMessages(true).routeQuestion(DOMAIN, Optional.empty(), SenderTls.OPTIONAL, id))
                .isEqualTo("far.example/may|" + id);
    }

    @Test
    @Tag("PF-16")
    void whenTheSourceIsGoneAllItsMailGoesByAnotherOneAndTheTransportGoesOn() {
        story.withhold(QmgrOrder.FindRoute.class);
        story.withhold(QmgrOrder.Open.class);
        story.routes.put(DOMAIN, by("a"));
        QueueId first = story.queue("x@far.example");
        QueueId second = story.queue("y@far.example");
        story.answerNext(QmgrOrder.FindRoute.class);
        story.answerAll(QmgrOrder.FindRoute.class);
        assertThat(story.waiting(QmgrOrder.Open.class)).as("one waits behind it").hasSize(1);

        story.withoutSource.add("far.example/source-a");
        story.routes.put(DOMAIN, by("b"));
        story.answerAll(QmgrOrder.Open.class);

        assertThat(story.removed).containsOnlyKeys(first, second).containsValue("sent");
        assertThat(story.deliveries()).containsExactlyInAnyOrder("1>far.example/source-b", "2>far.example/source-b");
        assertThat(story.ordered(QmgrOrder.RecordOutcome.class)).as("no deferral stands in between").hasSize(2);
        QueueId other = story.queue("z@elsewhere.example");
        assertThat(story.removed).as("the transport does not pause").containsKey(other);
    }

    @Test
    void aDeliveryThatTheSourceMayNotStartGoesByAnotherOne() {
        story.withhold(QmgrOrder.Deliver.class);
        story.routes.put(DOMAIN, by("a"));
        QueueId id = story.queue("x@far.example");
        story.routes.put(DOMAIN, by("b"));
        QmgrOrder.Deliver first = story.waiting(QmgrOrder.Deliver.class).getFirst();
        story.happens(new QmgrEvent.DeliveryDone(new DeliveryResult.OwnFailure(first.delivery().number(),
                first.connection(), Story.NO_SOURCE, DeliveryResult.Scope.ROUTE, true)));
        assertThat(story.deliveries()).containsExactly("1>far.example/source-a", "1>far.example/source-b");
        story.answer(story.waiting(QmgrOrder.Deliver.class).getLast());
        assertThat(story.removed).containsOnlyKeys(id);
    }

    @Test
    void withoutAnySourceTheMailWaitsAndNoAttemptIsCounted() {
        story.routes.put(DOMAIN, by("a"));
        story.withoutSource.add("far.example/source-a");
        story.withhold(QmgrOrder.FindRoute.class);
        QueueId id = story.queue("x@far.example");
        story.answerNext(QmgrOrder.FindRoute.class);
        story.dnsFailures.put(DOMAIN, Reply.of(450, "4.3.2", "no source of pool p can be used"));
        story.answerNext(QmgrOrder.FindRoute.class);

        assertThat(story.index.get(id).last.get(1).reply().text()).contains("no source of pool p");
        story.answerAll(QmgrOrder.FindRoute.class);
        story.dnsFailures.clear();
        story.withoutSource.clear();
        story.after(300_000);
        assertThat(story.removed).containsKey(id);
    }

    /// Outside, the same source is given again and again: a mistake, which must not become a loop.
    @Test
    void aMessageIsNotRoutedWithoutEnd() {
        story.routes.put(DOMAIN, by("a"));
        story.withoutSource.add("far.example/source-a");
        QueueId id = story.queue("x@far.example");
        assertThat(story.index.get(id).last.get(1).reply()).isEqualTo(Story.NO_SOURCE);
        assertThat(story.ordered(QmgrOrder.FindRoute.class)).hasSize(1_001);
    }

    @Test
    void aMessageThatIsHeldMeanwhileIsNotRoutedAgain() {
        story.withhold(QmgrOrder.Deliver.class);
        story.routes.put(DOMAIN, by("a"));
        QueueId id = story.queue("x@far.example");
        story.command(Story.hold(id));
        QmgrOrder.Deliver first = story.waiting(QmgrOrder.Deliver.class).getFirst();
        story.happens(new QmgrEvent.DeliveryDone(new DeliveryResult.OwnFailure(first.delivery().number(),
                first.connection(), Story.NO_SOURCE, DeliveryResult.Scope.ROUTE, false)));
        assertThat(story.ordered(QmgrOrder.FindRoute.class)).hasSize(1);
        assertThat(story.index.get(id).held).isTrue();
        assertThat(story.active()).isEmpty();
    }
}
