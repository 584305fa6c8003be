package dev.plumbline.http.api.account;

import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.api.ContentNegotiation;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /api/v1/keys}: the API keys of the account, without the secrets. */
final class ListKeysOperation implements ApiOperation {
    private final AccountService calls;

    ListKeysOperation(AccountService calls) {
        this.calls = calls;
    }

    @Override
    public String operationId() {
        return "listKeys";
    }

    @Override
    public void handle(RoutingContext ctx) {
        if (!ContentNegotiation.acceptsJson(ctx)) {
            ctx.fail(406);
            return;
        }
        calls.people().signedIn(ctx, who -> calls.keys(who)
                .onSuccess(keys -> {
                    JsonArray list = new JsonArray();
                    keys.forEach(key -> list.add(AccountResponses.json(key)));
                    AccountResponses.json(ctx, 200, new JsonObject().put("keys", list));
                })
                .onFailure(ctx::fail));
    }
}
