package org.slipstream.config.postfix;

import org.slipstream.config.postfix.MainCf.PostfixSetting;
import org.slipstream.config.postfix.MasterCf.MasterService;

import java.util.List;
import java.util.Optional;

/// A part of the translation that needs more than one parameter.
interface ImportTopic {
    void translate(PostfixFiles in, ImportDraft out);

    /// The files of a Postfix, read by all topics. A value without a meaning is reported once and
    /// counts as not given.
    ///
    /// @param services of `master.cf`; empty without one
    record PostfixFiles(MainCf main, Optional<MasterCf> services, List<String> users, ImportDraft out) {
        Optional<PostfixSetting> given(String name) {
            out.handled(name);
            try {
                return main.given(name).filter(parameter -> !parameter.value().isEmpty());
            } catch (ParameterExpansion.NoMeaning wrong) {
                out.mistake(main.place(name), name, String.valueOf(wrong.getMessage()));
                return Optional.empty();
            }
        }

        /// The parameter, or its default.
        PostfixSetting parameter(String name) {
            return given(name).orElseGet(() -> new PostfixSetting(name, value(name), main.place(name)));
        }

        String value(String name) {
            try {
                return main.value(name);
            } catch (ParameterExpansion.NoMeaning _) {
                // The line of the name is reported where it is read.
                return "";
            }
        }

        boolean isYes(String name) {
            return given(name).filter(PostfixSetting::isYes).isPresent();
        }

        /// The options of a service, each as a parameter with its place in `master.cf`.
        List<PostfixSetting> options(MasterService service) {
            return service.options().entrySet().stream().map(option -> new PostfixSetting(option.getKey(),
                    expanded(service, option.getValue()), service.place())).toList();
        }

        private String expanded(MasterService service, String value) {
            try {
                return main.expand(value);
            } catch (ParameterExpansion.NoMeaning wrong) {
                out.mistake(service.place(), service.name(), String.valueOf(wrong.getMessage()));
                return "";
            }
        }

        /// The tables that a parameter names. Those that cannot be used are reported.
        List<PostfixTable> tables(PostfixSetting parameter) {
            return parameter.words().stream().flatMap(word -> table(word, parameter).stream()).toList();
        }

        Optional<PostfixTable> table(String word, PostfixSetting parameter) {
            try {
                return Optional.of(PostfixTable.read(word, parameter.place(), value("default_database_type")));
            } catch (PostfixTable.UnusableTable unusable) {
                out.remark(unusable.isMistake() ? ImportDraft.RemarkKind.MISTAKE : ImportDraft.RemarkKind.NOT_MAPPED,
                        parameter.place(), parameter.name(), String.valueOf(unusable.getMessage()));
                return Optional.empty();
            }
        }
    }
}
