/** A number of hours for people, the same everywhere: `41:30`, `0:05`, `-1:00`; below half a minute `0:00`. Pure. */
export const formatHours = (hours: number): string => {
  const minutes = Math.round(Math.abs(hours) * 60);
  const sign = hours < 0 && minutes > 0 ? '-' : '';
  return `${sign}${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
};
