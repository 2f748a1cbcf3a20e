import type { JSX } from 'preact';

interface Props {
  readonly label: string;
  readonly value: string | number;
  /** What is shown of each value. */
  readonly texts: Readonly<Record<string, string>>;
  onChoose(value: string): void;
}

export const Select = ({ label, value, texts, onChoose }: Props): JSX.Element => (
  <label>
    {label}
    <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
      {Object.entries(texts).map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  </label>
);
