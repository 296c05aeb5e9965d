package org.slipstream.server.monitor;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slipstream.admin.operations.Operations.TroubleView;

import static org.assertj.core.api.Assertions.assertThat;

/// Troubles of the same kind are told one by one when they concern different things.
class AlarmSubjectTest {
    @ParameterizedTest
    @CsvSource({"shard 2: new mail is refused,shard 2", "mail of user ann is held; mta user show,user ann",
            "mail of user bob goes on; mta user show,user bob", "new mail is refused,''",
            "users of shard 2 wait,''"})
    void theSubjectIsTheShardOrTheUser(String meaning, String subject) {
        assertThat(ServerMonitor.cause(new TroubleView("account", "", meaning, "")).subject()).isEqualTo(subject);
    }
}
