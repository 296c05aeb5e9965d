/// The web page of the sink and its JSON API.
package org.slipstream.sink.web;
