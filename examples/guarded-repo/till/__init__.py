"""A till that adds up prices in cents."""


def total(prices):
    """The sum of prices in cents; a negative price is a mistake."""
    if any(price < 0 for price in prices):
        raise ValueError("a price is never negative")
    return sum(prices)


def change(paid, prices):
    """What goes back to the customer, in cents."""
    left = paid - total(prices)
    if left < 0:
        raise ValueError(f"{-left} cents are missing")
    return left
