/// The drawings of a run: SVG, and the page that holds them.
package org.slipstream.lab.picture;
