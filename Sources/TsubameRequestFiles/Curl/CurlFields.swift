// CurlFields: the header fields of a curl line, with those that curl's own options give.

/// Of two options for one field, the last counts. A field of `-H` counts before both.
struct CurlFields {
    var fields: [(name: String, value: String)] = []
    /// The names of fields that are not sent.
    var unset: [String] = []
    /// Whether `-A ''` takes the User-Agent away.
    var hasNoAgent = false
    /// The places in ``fields`` of those that options such as `-A`, `-e` and `-b` give.
    private var defaults: [Int] = []

    func has(_ name: String) -> Bool {
        fields.contains { $0.name.lowercased() == name.lowercased() }
            || unset.contains { $0.lowercased() == name.lowercased() }
    }

    /// The value that an option has given to a field; nil for none.
    func `default`(_ name: String) -> String? { defaults.first { fields[$0].name == name }.map { fields[$0].value } }

    /// Takes the value of an option. An empty one takes the field back.
    mutating func setDefault(_ name: String, _ value: String) {
        if let index = defaults.first(where: { fields[$0].name == name }) {
            if value.isEmpty { removeDefault(index) } else { fields[index].value = value }
        } else if !value.isEmpty {
            defaults.append(fields.count)
            fields.append((name, value))
        }
    }

    /// Removes the fields of options that fields of `-H` replace.
    mutating func settle() {
        let own = fields.indices.filter { !defaults.contains($0) }.map { fields[$0].name.lowercased() }
        let named = Set(own + unset.map { $0.lowercased() })
        for index in defaults.reversed() where named.contains(fields[index].name.lowercased()) { removeDefault(index) }
        if hasNoAgent, !has("User-Agent") { unset.append("User-Agent") }
    }

    private mutating func removeDefault(_ index: Int) {
        fields.remove(at: index)
        defaults = defaults.filter { $0 != index }.map { $0 > index ? $0 - 1 : $0 }
    }
}
