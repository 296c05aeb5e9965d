/// Webhooks: events of mail that the server posts to web servers, each at its own pace.
package org.slipstream.events.webhook;
