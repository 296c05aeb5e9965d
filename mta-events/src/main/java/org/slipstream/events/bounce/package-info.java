/// Why mail was refused, as one word.
package org.slipstream.events.bounce;
