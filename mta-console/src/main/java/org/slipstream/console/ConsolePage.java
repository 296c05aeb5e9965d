package org.slipstream.console;

/// One page of the console.
@FunctionalInterface
interface ConsolePage {
    /// @throws RefusedException when there is nothing to show
    PageView view(PageRequest request);
}
