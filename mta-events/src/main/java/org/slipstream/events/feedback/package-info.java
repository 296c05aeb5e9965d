/// Answers after a delivery: complaints, late reports, requests to unsubscribe.
package org.slipstream.events.feedback;
