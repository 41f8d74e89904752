// CivilTime: a moment in UTC by the Gregorian calendar, without time zones and leap seconds.

package struct CivilTime: Sendable, Hashable {
    package let year: Int64
    package let month: Int64
    package let day: Int64
    package let hour: Int64
    package let minute: Int64
    package let second: Int64
    package let secondsSince1970: Int64

    /// Any number of seconds has a date, including years before 0 and after 9999.
    package init(secondsSince1970 seconds: Int64) {
        let (days, rest) = Self.floorDivide(seconds, by: 86_400)
        // Years that begin in March have the leap day at the end. There are 719,468 days between 0000-03-01 and
        // 1970-01-01.
        let (era, dayOfEra) = Self.floorDivide(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        hour = rest / 3_600
        minute = rest / 60 % 60
        second = rest % 60
        secondsSince1970 = seconds
    }

    /// nil if there is no such date, or if its year is not in 0...9999. Second 60 is the first second of the next
    /// minute.
    package init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        guard (0...9_999).contains(year), (1...12).contains(month), (1...31).contains(day),
            (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
        else { return nil }
        let marchYear = Int64(month <= 2 ? year - 1 : year)
        let (era, yearOfEra) = Self.floorDivide(marchYear, by: 400)
        let monthFromMarch = Int64(month > 2 ? month - 3 : month + 9)
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        self.init(secondsSince1970: days * 86_400 + Int64(hour * 3_600 + minute * 60 + second))
        // A day such as 30 February has become a day of March. Second 60 may move the day, so the second before it is
        // checked.
        guard day == (second < 60 ? self.day : CivilTime(secondsSince1970: secondsSince1970 - 1).day) else {
            return nil
        }
    }

    static let weekdayNames: [StaticString] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    static let monthNames: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// For example `Sun`.
    package var weekdayName: String {
        let days = Self.floorDivide(secondsSince1970, by: 86_400).quotient
        return Self.weekdayNames[Int(Self.floorDivide(days + 4, by: 7).remainder)].description
    }

    /// For example `Nov`.
    package var monthName: String {
        Self.monthNames[Int(month) - 1].description
    }

    /// For example `2026-11-21T04:35:47Z`; nil outside the years 0 to 9999.
    package var iso8601: String? {
        guard (0...9_999).contains(year) else { return nil }
        return "\(Self.digits(year, 4))-\(Self.digits(month))-\(Self.digits(day))T\(timeOfDay)Z"
    }

    /// For example `04:35:47`.
    package var timeOfDay: String {
        "\(Self.digits(hour)):\(Self.digits(minute)):\(Self.digits(second))"
    }

    package static func digits(_ number: Int64, _ width: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
    }

    private static func floorDivide(_ number: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
