/// `POST /api/v1/messages`: reads requests, composes messages, and hands them to the server.
package org.slipstream.inject;
