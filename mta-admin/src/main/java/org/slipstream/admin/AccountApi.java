package org.slipstream.admin;

import org.slipstream.admin.ApiResource.ApiParameter;
import org.slipstream.admin.operations.AccountOperations;
import org.slipstream.admin.operations.Operations;
import org.slipstream.admin.operations.Operations.MessageView;
import org.slipstream.core.QueueId;
import org.slipstream.core.order.AccountVerb;
import org.slipstream.core.order.MessageOrder;
import org.slipstream.core.order.OrderForm;
import org.slipstream.core.order.Right;
import org.slipstream.core.queue.QueueFilter;
import org.slipstream.core.queue.QueueFilter.State;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The resource `accounts` and its order.
///
/// @param queue has the mail that is held
record AccountApi(Optional<AccountOperations> operations, Operations queue) {
    private static final int PART = 500;
    private static final String HELD_BY = "hold: " + AccountOperations.CHECK + " has held";
    private static final String AFTER = "after";

    List<ApiResource> resources() {
        List<ApiResource> all = new ArrayList<>();
        all.add(ApiResource.get("accounts", Right.READ,
                "The counts of a user or a domain of senders; without a name, the users whose mail is unlike before.",
                List.of(ApiParameter.of("name", "a user, or @ and a domain")), this::show));
        OrderForm.of(AccountVerb.class).forEach(form -> all.add(ApiResource.order("accounts/" + form.word(), form,
                List.of(ApiParameter.of(AFTER, "the next of the answer before")),
                query -> ApiResponse.reading(form.read(query.parameters(), Query::noNextHop),
                        order -> give(order, query.get(AFTER))))));
        return all;
    }

    private ApiResponse show(Query query) {
        if (operations.isEmpty()) {
            return none();
        }
        Optional<String> name = query.get("name");
        return name.isEmpty()
                ? ApiResponse.ok(Map.of("accounts", operations.get().suspicious()))
                : operations.get().account(name.get()).map(each -> ApiResponse.ok(Map.of("accounts", List.of(each))))
                        .orElseGet(() -> ApiResponse.notFound("no mail of this name was counted: " + name.get()));
    }

    private ApiResponse give(AccountVerb order, Optional<String> after) throws IOException {
        return switch (order) {
            case AccountVerb.Release release -> operations.isEmpty() ? none() : give(release, after);
        };
    }

    /// A part of the mail on hold; the caller asks for the next one.
    private ApiResponse give(AccountVerb.Release release, Optional<String> after) throws IOException {
        boolean was = after.isEmpty() && operations.orElseThrow().release(release);
        Operations.QueuePage page = queue.list(QueueFilter.ANY.withState(State.HELD),
                after.flatMap(QueueId::parse), PART);
        MessageOrder order = release.delete() ? new MessageOrder.Delete() : new MessageOrder.Release();
        long count = 0;
        for (MessageView each : page.messages()) {
            if (each.submitter().user().equals(release.name())
                    && each.instructions().stream().anyMatch(line -> line.startsWith(HELD_BY))
                    && queue.order(order, QueueId.parse(each.id()).orElseThrow())) {
                count++;
            }
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("suspicious", was);
        answer.put("messages", count);
        page.next().ifPresent(next -> answer.put("next", next));
        return ApiResponse.ok(answer);
    }

    private static ApiResponse none() {
        return ApiResponse.error(501, "this server counts no accounts");
    }
}
