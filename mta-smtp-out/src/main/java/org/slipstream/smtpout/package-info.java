/// The SMTP client: a dialogue without a socket, a wire without a dialogue, a carrier that joins them on a thread.
package org.slipstream.smtpout;
