package org.slipstream.console;

import org.slipstream.admin.ApiCaller;

import java.util.concurrent.atomic.AtomicReference;

/// The person in front of the browser.
///
/// @param formKey a secret that each form of this visitor has, and no page of another origin knows
/// @param said the answer to the latest order, shown once
record Visitor(ApiCaller caller, String formKey, AtomicReference<String> said) {
    static Visitor of(ApiCaller caller, String formKey) {
        return new Visitor(caller, formKey, new AtomicReference<>(""));
    }
}
