package org.slipstream.qmgr;

import org.junit.jupiter.api.Test;
import org.slipstream.core.QueueId;
import org.slipstream.core.Route;
import org.slipstream.core.TransportKind;
import org.slipstream.qmgr.event.QmgrOrder;
import org.slipstream.qmgr.place.PlaceRules;
import org.slipstream.qmgr.settings.QmgrConfig;
import org.slipstream.qmgr.settings.TransportSettings;
import org.slipstream.qmgr.settings.TransportTable;

import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/// Postfix's remedy for starvation: a transport `relay` beside `smtp`.
class NamedTransportTest {
    @Test
    void mailOfATransportGoesWhileThatOfAnotherOneOfItsKindWaits() {
        Story story = new Story(s -> s.active(100).lanes(1, 1));
        story.routes.put("own.example", new Route.Smtp("relay", "own.example",
                List.of(new Route.Host("own.example", 25, 0))));
        story.withhold(QmgrOrder.Deliver.class);
        IntStream.range(0, 20).forEach(i -> story.queue("u" + i + "@far" + i + ".example"));
        assertThat(story.waiting(QmgrOrder.Deliver.class)).as("the only lane of smtp is in use").hasSize(1);
        QueueId own = story.queue("u@own.example");
        assertThat(story.waiting(QmgrOrder.Deliver.class)).hasSize(2)
                .anySatisfy(order -> assertThat(order.id()).isEqualTo(own));
        QueueId second = story.queue("v@own.example");
        assertThat(story.waiting(QmgrOrder.Deliver.class)).as("it has one lane, too").hasSize(2);
        assertThat(story.active()).contains(second);
    }

    @Test
    void aTransportOfTheKindSmtpHasItsRulesWithItsOwnConnections() {
        TransportTable table = TransportTable.of(TransportSettings.defaults())
                .with("relay", TransportKind.SMTP).with("relay", TransportSettings.defaults().withConcurrency(7, 2, 3))
                .with("store", TransportKind.LMTP);
        QmgrConfig config = QmgrConfig.defaults().withTransports(table);
        PlaceRules smtp = PlaceRules.defaults();
        assertThat(config.placement(smtp).apply("smtp")).isSameAs(smtp);
        assertThat(config.placement(smtp).apply("relay")).isEqualTo(smtp.withWorkers(7, 3));
        assertThat(config.placement(smtp).apply("store")).isEqualTo(config.plainRules("store"));
    }
}
