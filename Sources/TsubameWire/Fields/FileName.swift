// FileName: the conversion of an untrusted name into one that is safe to write.

/// Only the last path component of a name from the network is used. Anything that a file system, a shell or a reader
/// could misinterpret is removed from it (CVE-2010-3842, CVE-2016-0754).
package enum FileName {
    /// The limit of most file systems, in bytes.
    private static let maximumBytes = 255
    /// The names of devices on Windows. They are reserved with any extension.
    private static let devices: Set<String> = [
        "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "lpt1",
        "lpt2",
        "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
    ]

    /// The base name, made safe. Leading dots, control characters and direction characters are removed. Characters
    /// that Windows forbids become underscores.
    /// - Returns: nil if nothing is left.
    package static func safe(_ name: String) -> String? {
        // This works on scalars: a combining mark after a slash or a dot makes another character of both, but the file
        // system still sees the slash or the dot.
        let base = name.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }.last
        var scalars = String.UnicodeScalarView()
        for scalar in base ?? Substring.UnicodeScalarView() {
            if isDangerous(scalar) { continue }
            scalars.append(#"<>:"|?*"#.unicodeScalars.contains(scalar) ? "_" : scalar)
        }
        func isEdge(_ scalar: Unicode.Scalar) -> Bool { scalar == "." || scalar.properties.isWhitespace }
        // A dot file is hidden, and could replace the user's settings.
        var rest = scalars.drop(while: isEdge)
        while let last = rest.last, isEdge(last) { rest.removeLast() }
        var text = String(rest)
        // A program could read the name as an option after a shell has expanded a pattern.
        if rest.first == "-" { text = "_" + String(rest.dropFirst()) }
        if devices.contains(String(text.unicodeScalars.prefix { $0 != "." }).lowercased()) { text = "_" + text }
        text = shortened(text)
        return text.isEmpty ? nil : text
    }

    /// The same name with a number, such as `report-1.pdf`.
    package static func numbered(_ name: String, _ number: Int) -> String {
        let (stem, suffix) = parts(name)
        return shortened("\(stem)-\(number)\(suffix)", keeping: "-\(number)\(suffix)")
    }

    private static func parts(_ name: String) -> (stem: Substring, suffix: Substring) {
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return (name[...], "") }
        return (name[..<dot], name[dot...])
    }

    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // Format characters include direction overrides, which can show `txt.exe` as `exe.txt`.
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
        default: false
        }
    }

    private static func shortened(_ name: String, keeping suffix: String? = nil) -> String {
        guard name.utf8.count > maximumBytes else { return name }
        let suffix = suffix ?? String(parts(name).suffix)
        guard suffix.utf8.count < maximumBytes / 2 else { return cut(name[...], to: maximumBytes) }
        return cut(name.dropLast(suffix.count), to: maximumBytes - suffix.utf8.count) + suffix
    }

    private static func cut(_ text: Substring, to count: Int) -> String {
        var (result, bytes) = ("", 0)
        for character in text {
            bytes += character.utf8.count
            guard bytes <= count else { break }
            result.append(character)
        }
        return result
    }
}
