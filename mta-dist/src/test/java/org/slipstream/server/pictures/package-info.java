/// The pictures of the documentation, drawn from the code, and the test that they are current.
package org.slipstream.server.pictures;
