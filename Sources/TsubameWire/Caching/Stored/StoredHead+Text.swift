// StoredHead+Text: the text form of a stored head, for storages.

import HTTPTypes

extension StoredHead {
    /// The fields, one on each line.
    package var fieldText: String { fields.map { "\($0.name.rawName):\($0.value)\n" }.joined() }

    /// The selecting fields, sorted by name, so that equal fields give equal texts.
    package var selectingText: String {
        selecting.sorted { $0.key < $1.key }.map { name, value in value.map { "\(name):\($0)\n" } ?? "\(name)\n" }
            .joined()
    }

    /// nil if the texts are not those of a head.
    package init?(
        status: Int, fieldText: String, selectingText: String, requestTime: Double, responseTime: Double
    ) {
        var fields = HTTPFields()
        for line in fieldText.utf8.split(separator: 0x0A) {
            guard let colon = line.firstIndex(of: 0x3A),
                let name = String(line[..<colon]).flatMap({ HTTPField.Name($0) }),
                let value = String(line[line.index(after: colon)...])
            else { return nil }
            fields.append(HTTPField(name: name, value: value))
        }
        var selecting: [String: String?] = [:]
        for line in selectingText.utf8.split(separator: 0x0A) {
            let colon = line.firstIndex(of: 0x3A)
            guard let name = String(line[..<(colon ?? line.endIndex)]) else { return nil }
            selecting.updateValue(colon.flatMap { String(line[line.index(after: $0)...]) }, forKey: name)
        }
        self.init(
            status: status, fields: fields, selecting: selecting, requestTime: requestTime, responseTime: responseTime)
    }
}
