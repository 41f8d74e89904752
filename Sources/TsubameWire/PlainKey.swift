// PlainKey: a coding key without a type of keys.

/// A key that comes from no type: a dictionary's, an index, `super`.
struct PlainKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}
